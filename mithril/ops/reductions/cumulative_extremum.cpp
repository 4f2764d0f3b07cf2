// The index of the largest or smallest element so far along an axis.
#include "mithril/ops/shared/continues_extremum.hpp"
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

template <typename T>
void cumulative_indices(const AxisView& view, const Elements<T>& x, bool largest,
                        std::vector<int64_t>& indices) {
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      int64_t best = 0;
      for (int64_t k = 0; k < view.size; ++k) {
        if (continues_extremum(x[view.at(o, k, i)], x[view.at(o, best, i)], largest)) best = k;
        indices[static_cast<size_t>(view.at(o, k, i))] = best;
      }
    }
  }
}

void eval_cumulative_extremum(EvalContext& c) {
  const AxisView view = AxisView::along(c.dims("input"), c.integer("axis"));
  std::vector<int64_t> indices(static_cast<size_t>(c.out().size()));
  c.typed_like("input", [&](auto zero) {
    cumulative_indices(view, c.read<decltype(zero)>("input"), c.flag("largest"), indices);
  });
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (const int64_t index : indices) *y++ = static_cast<T>(index);
  });
}

}  // namespace

OpDef define_cumulative_extremum() {
  return {
      .name = "cumulative_extremum",
      .doc =
          "The index of the cumulative maximum along an axis, or of the cumulative minimum if "
          "largest=False. It is the last index of equal elements, or of NaNs.",
      .internal = true,
      .inputs = {{"input", "*s", "any"},
                 value("axis", "int", Datum(-1)),
                 value("largest", "bool", true)},
      .outputs = {{"output", "*s", "int"}},
      .solve = check_axes,
      .eval = eval_cumulative_extremum,
      .not_differentiable = "an index is an integer",
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .integers = IntegerUse::order,
      .spell = {{"jax", "cumulative_extremum({input}, {axis}, {largest}, {output.dtype})"},
                {"torch", "largest ? aten::cummax(input, axis)[1] : aten::cummin(input, axis)[1]"}},
  };
}

}  // namespace mithril
