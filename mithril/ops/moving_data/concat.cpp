// concat: tensors one after the other along an axis.
#include <algorithm>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/joining.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_concat(Solver& s) {
  if (s.count("input") == 0) s.reject("there is nothing to join", "one tensor or more", "none");
  s.kind("output");
  const bool typed = solve_widest(s);
  return solve_joined(s, "input", "output") && typed;
}

void eval_concat(EvalContext& c) {
  const bool flat = c.value("axis").is_none();
  const Dims& out = c.out().dims();
  const AxisView to(out, flat ? 0 : axis_of(c.integer("axis"), out.size()));
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    int64_t offset = 0;
    for (int k = 0; k < c.list_size(); ++k) {
      const auto x = c.read<T>("input", k);
      const int64_t size =
          flat ? x.size() : c.dims("input", k)[axis_of(c.integer("axis"), out.size())];
      if (x.size() != to.outer * size * to.inner || offset + size > to.size) {
        reject(c, "the inputs do not fit each other", to_string(out),
               to_string(c.dims("input", k)));
      }
      for (int64_t o = 0; o < to.outer; ++o) {
        for (int64_t i = 0; i < size * to.inner; ++i)
          y[to.at(o, offset, i)] = x[o * size * to.inner + i];
      }
      offset += size;
    }
  });
}

bool all_ranked(const GradContext& g) {
  for (int k = 0; k < g.list_size(); ++k) {
    if (!g.in("input", k).ranked()) return false;
  }
  return true;
}

// If a rank is not known, sizes are read from the inputs at run time, which keeps these in memory
// until then.
void grad_concat_like(GradContext& g) {
  for (int k = 0; k < g.list_size(); ++k) {
    if (!g.needs("input", k)) continue;
    std::vector<Operand> operands{g.out_grad()};
    for (int i = 0; i < g.list_size(); ++i) operands.push_back(g.in("input", i));
    operands.insert(operands.end(), {g.value("axis"), Datum(k)});
    g.flow("input", call("concat_grad", std::move(operands)), k);
  }
}

void grad_concat(GradContext& g) {
  if (!all_ranked(g)) return grad_concat_like(g);
  const Datum& axis = g.value("axis");
  Tuple sizes;
  for (int k = 0; k < g.list_size(); ++k) {
    const std::vector<Dim>& dims = g.in("input", k).dims();
    sizes.push_back(axis.is_none() ? product(dims) : dims[axis_of(axis.integer(), dims.size())]);
  }
  const auto parts =
      call_all("split", {g.out_grad(), Datum(sizes), axis.is_none() ? Datum(0) : axis});
  for (int k = 0; k < g.list_size(); ++k) {
    if (!g.needs("input", k)) continue;
    const Expression& part = parts[static_cast<size_t>(k)];
    g.flow("input", axis.is_none() ? call("reshape_like", {part, g.in("input", k)}) : part, k);
  }
}

std::string spell_concat(const SpellingContext& c) {
  if (!c.value("axis").is_none()) return "aten::cat(input, axis)";
  return "aten::flatten_dense_tensors(input)";
}

void samples_of_concat(SampleContext& c) {
  const SampleAxis* at = common_axis(c);
  if (!at) return;
  const Datum& axis = c.value("axis");
  if (axis.is_none() || axis_of(axis.integer(), c.out().size()) == at->axis)
    return couple_along(c, at->axis);
  c.put(*at);
}

}  // namespace

OpDef define_concat() {
  return {
      .name = "concat",
      .doc =
          "Concatenates tensors along `axis`. axis=None flattens them first. The output has the "
          "widest kind of the inputs: bool, int, float.",
      .inputs = {list("input", "*each", "any"), value("axis", "int|none", 0)},
      .outputs = {{"output", "*o", "any"}},
      .solve = solve_concat,
      .eval = eval_concat,
      .grad = grad_concat,
      .batch = batch_beside_axis_or_flat,
      .samples = samples_of_concat,
      .linear = {"input"},
      .spell = {{"jax", "jnp.concatenate({input}, axis={axis})"},
                {"onnx", "concat(input, axis)"},
                {"torch", "aten::cat, of flattened tensors where there is no axis", spell_concat},
                {"cpu", "concat(input, axis)"}},
  };
}

}  // namespace mithril
