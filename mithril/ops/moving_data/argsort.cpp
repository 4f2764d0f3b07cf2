// argsort: the order of the elements along an axis.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/sorting.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// NaN is larger than all numbers.
template <typename T>
bool sorts_before(T a, T b, bool descending) {
  if (descending) std::swap(a, b);
  return a < b || (a == a && b != b);
}

void eval_argsort(EvalContext& c) {
  const auto axis = axis_of(c.integer("axis"), c.out().dims().size());
  const AxisView view(c.dims("input"), axis), kept(c.out().dims(), axis);
  const bool descending = c.flag("descending");
  if (kept.size > view.size)
    reject(c, "there are fewer elements along the axis", "at most " + std::to_string(view.size),
           std::to_string(kept.size));
  std::vector<int64_t> order(static_cast<size_t>(view.size));
  std::vector<int64_t> places(static_cast<size_t>(c.out().size()));
  c.typed_like("input", [&](auto zero) {
    const auto x = c.read<decltype(zero)>("input");
    for (int64_t row = 0; row < view.outer * view.inner; ++row) {
      const int64_t o = row / view.inner, i = row % view.inner;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + kept.size, order.end(),
                        [&](int64_t a, int64_t b) {
                          const auto left = x[view.at(o, a, i)], right = x[view.at(o, b, i)];
                          if (sorts_before(left, right, descending)) return true;
                          return a < b && !sorts_before(right, left, descending);
                        });
      for (int64_t k = 0; k < kept.size; ++k)
        places[static_cast<size_t>(kept.at(o, k, i))] = order[static_cast<size_t>(k)];
    }
  });
  c.typed([&](auto zero) {
    using T = decltype(zero);
    std::transform(places.begin(), places.end(), c.write<T>(),
                   [](int64_t place) { return static_cast<T>(place); });
  });
}

std::string spell_argsort(const SpellingContext& c) {
  const Dims& dims = c.dims("input");
  const size_t axis = axis_of(c.integer("axis"), dims.size());
  const std::string sorted =
      "aten::argsort(input, stable=True, dim=" + std::to_string(axis) + ", descending=descending)";
  if (c.out()[axis] == dims[axis]) return sorted;
  return spell_call("aten::slice",
                    {sorted, std::to_string(axis), "0", std::to_string(c.out()[axis])});
}

}  // namespace

OpDef define_argsort() {
  return {
      .name = "argsort",
      .doc =
          "The indices that sort the elements along an axis; the first `count` of them (None: "
          "all). Equal elements keep their order. NaN counts as larger than all numbers.",
      .inputs = {{"input", "*s", "any"},
                 value("axis", "int", -1),
                 value("descending", "bool", false),
                 value("count", "int|none", None())},
      .outputs = {{"output", "*o", "int"}},
      .solve = [](Solver& s) { return solve_first(s, "count", {"output"}); },
      .eval = eval_argsort,
      .not_differentiable = "an index is an integer",
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .integers = IntegerUse::order,
      .spell = {{"jax", "argsort({input}, {axis}, {descending}, {count}, {output.dtype})"},
                {"onnx", "argsort(input.raw, axis, descending, count)"},
                {"torch", "aten::argsort, and the first of it", spell_argsort},
                {"cpu", "argsort(input, axis, descending)"}},
  };
}

}  // namespace mithril
