// all_reduce_start: starts a reduction over the processes of a group.
#include "mithril/ops/support/collectives.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_all_reduce_start(Solver& s) {
  const bool known = solve_exchanged(s);
  const Datum* reduction = s.value("reduction");
  if (!reduction) return false;
  const std::string& text = reduction->text();
  if (text != "sum" && text != "max" && text != "min")
    s.reject("there is no reduction '" + text + "'", "sum, max or min", "'" + text + "'");
  return known;
}

// Packs the tensors of one dtype side by side, and reduces them together.
template <typename T>
void reduce_all_of(EvalContext& c) {
  std::vector<int> items;
  for (int k = 0; k < c.list_size(); ++k) {
    if (c.out(k).dtype() == dtype_of<T>) items.push_back(k);
  }
  int64_t count = 0;
  for (const int k : items) count += c.out(k).size();
  if (count == 0) return;
  const auto bucket = std::make_unique<T[]>(static_cast<size_t>(count));
  T* next = bucket.get();
  for (const int k : items) {
    const auto x = c.read<T>("inputs", k);
    next = std::copy(x.begin(), x.end(), next);
  }
  communicator(c.text("group"))
      ->start_all_reduce(bucket.get(), dtype_of<T>, count, parse_reduction(c.text("reduction")))
      ->wait();
  const T* from = bucket.get();
  for (const int k : items) {
    std::copy(from, from + c.out(k).size(), c.write<T>(k));
    from += c.out(k).size();
  }
}

void eval_all_reduce(EvalContext& c) {
  for (const DType dtype : computed_dtypes) {
    visit_dtype(dtype, [&](auto zero) { reduce_all_of<decltype(zero)>(c); });
  }
}

}  // namespace

OpDef define_all_reduce_start() {
  return {
      .name = "all_reduce_start",
      .doc =
          "Starts to reduce each tensor over the processes of the group: element by element, by "
          "sum, max or min. Only `all_reduce_wait` may read the outputs.",
      .internal = true,
      .inputs = {list("inputs", "*s", "any"), value("group", "str"),
                 word("reduction", {"sum", "max", "min"})},
      .outputs = {list("outputs", "*s", "any")},
      .solve = solve_all_reduce_start,
      .eval = eval_all_reduce,
      .not_differentiable = no_collective_gradient,
      .outputs_from = "inputs",
      .collective = true,
      .spell = {{"jax", "unsupported: a module of JAX runs in one process"},
                {"torch", "mithril::all_reduce_start(inputs, group, reduction)"},
                {"cpu", "all_reduce_start(inputs, group, reduction)"}},
  };
}

}  // namespace mithril
