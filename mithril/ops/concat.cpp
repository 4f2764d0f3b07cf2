// concat: tensors one after the other along an axis.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Without an axis all elements become one row.
bool concat_flat(Solver& s) {
  Dim total = 0;
  bool known = true;
  for (int k = 0; k < s.count("input"); ++k) {
    std::vector<Dim> dims;
    known = s.shape("input", dims, k) && known;
    total = total + product(dims);
  }
  s.set_shape("output", {known ? total : s.fresh()});
  return known;
}

// The first rank that is known: of the output or of an input.
bool any_rank(Solver& s, size_t& rank) {
  std::vector<Dim> dims;
  bool known = s.shape("output", dims);
  for (int k = 0; !known && k < s.count("input"); ++k) known = s.shape("input", dims, k);
  rank = dims.size();
  return known;
}

bool solve_concat(Solver& s) {
  const Datum* axis = s.value("axis");
  if (s.count("input") == 0) s.reject("there is nothing to join", "one tensor or more", "none");
  if (!axis) return false;
  if (axis->is_none()) return concat_flat(s);
  int64_t number = 0;
  size_t rank = 0;
  if (!s.number(axis->dim(), number) || !any_rank(s, rank)) return false;
  const size_t at = axis_of(s, number, rank);
  std::vector<Dim> out = fresh_dims(s, rank);
  Dim total = 0;
  for (int k = 0; k < s.count("input"); ++k) {
    std::vector<Dim> dims = out;
    dims[at] = s.fresh();
    s.set_shape("input", dims, k);
    total = total + dims[at];
  }
  out[at] = total;
  s.set_shape("output", out);
  return true;
}

void eval_concat(EvalContext& c) {
  const bool flat = c.value("axis").is_none();
  const Dims& out = c.out().dims();
  const AxisView to(out, flat ? 0 : axis_of(c.integer("axis"), out.size()));
  c.typed([&](auto zero) {
    using T = decltype(zero);
    T* y = c.write<T>();
    int64_t offset = 0;
    for (int k = 0; k < c.list_size(); ++k) {
      const auto x = c.read<T>("input", k);
      const int64_t size =
          flat ? x.size() : c.dims("input", k)[axis_of(c.integer("axis"), out.size())];
      if (x.size() != to.outer * size * to.inner || offset + size > to.size) {
        reject("the inputs do not fit each other", to_string(out), to_string(c.dims("input", k)));
      }
      for (int64_t o = 0; o < to.outer; ++o) {
        for (int64_t i = 0; i < size * to.inner; ++i)
          y[to.at(o, offset, i)] = x[o * size * to.inner + i];
      }
      offset += size;
    }
  });
}

void grad_concat(GradContext& g) {
  const Datum& axis = g.value("axis");
  Tuple sizes;
  for (int k = 0; k < g.list_size(); ++k) {
    const std::vector<Dim>& dims = ranked_dims(g.in("input", k));
    sizes.push_back(axis.is_none() ? product(dims) : dims[axis_of(axis.integer(), dims.size())]);
  }
  const auto parts =
      call_all("split", {g.out_grad(), Datum(sizes), axis.is_none() ? Datum(0) : axis});
  for (int k = 0; k < g.list_size(); ++k) {
    const Expression& part = parts[static_cast<size_t>(k)];
    g.flow("input", axis.is_none() ? call("reshape_like", {part, g.in("input", k)}) : part, k);
  }
}

}  // namespace

OpDef define_concat() {
  return {
      .name = "concat",
      .doc = "Tensors one after the other along `axis`; None joins all their elements in one row.",
      .inputs = {list("input", "*each", "T=any"), value("axis", "int|none", 0)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_concat,
      .eval = eval_concat,
      .grad = grad_concat,
      .operations = no_arithmetic,
      .spell = {{"torch",
                 "axis == None ? aten::flatten_dense_tensors(input) : aten::cat(input, axis)"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
