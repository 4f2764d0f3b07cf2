// Cumulative sums.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void cumulative_sums(EvalContext& c) {
  const AxisView view = AxisView::along(c.dims("input"), c.integer("axis"));
  const bool reverse = c.flag("reverse");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    using Total = Accumulator<T>;
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (int64_t o = 0; o < view.outer; ++o) {
      for (int64_t i = 0; i < view.inner; ++i) {
        Total total = 0;
        for (int64_t k = 0; k < view.size; ++k) {
          const int64_t at = view.at(o, reverse ? view.size - 1 - k : k, i);
          total += static_cast<Total>(x[at]);
          y[at] = static_cast<T>(total);
        }
      }
    }
  });
}

}  // namespace

OpDef define_cumsum() {
  return {
      .name = "cumsum",
      .doc = "The cumulative sum along an axis. reverse=True begins at the end.",
      .inputs = {{"input", "*s", "T=number"},
                 value("axis", "int", Datum(-1)),
                 value("reverse", "bool", false)},
      .outputs = {{"output", "*s", "T"}},
      .solve = check_axes,
      .eval = cumulative_sums,
      .grad =
          [](GradContext& g) {
            const bool reverse = g.value("reverse").flag();
            g.flow("input", call("cumsum", {g.out_grad(), g.value("axis"), !reverse}));
          },
      .batch = batch_beside_axis,
      .samples = samples_beside_axis,
      .linear = {"input"},
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "lax.cumsum({input}, {axis} % {input.ndim}, reverse={reverse})"},
                {"onnx", "cumsum(input, axis, reverse)"},
                {"torch",
                 "reverse ? aten::flip(aten::cumsum(aten::flip(input, [axis]), axis), [axis]) : "
                 "aten::cumsum(input, axis)"},
                {"cpu", "cumsum(input, axis, reverse)"}},
  };
}

}  // namespace mithril
