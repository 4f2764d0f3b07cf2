// The mean of elements.
#include <algorithm>

#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_mean() {
  return {
      .name = "mean",
      .doc =
          "The mean along an axis, several axes, or all of them (None). The mean of no elements is "
          "NaN.",
      .inputs = reduction_inputs("any"),
      .outputs = {{"output", "*o", "float"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval =
          [](EvalContext& c) {
            const std::vector<double> result = means(c, c.read<double>("input"));
            c.typed([&](auto zero) {
              using T = decltype(zero);
              std::transform(result.begin(), result.end(), c.write<T>(),
                             [](double x) { return static_cast<T>(x); });
            });
          },
      .grad =
          [](GradContext& g) {
            g.flow("input", call("expand_reduced", {g.out_grad(), g.in("input"), g.value("axis"),
                                                    g.value("keepdim"), 0.0}));
          },
      .batch = batch_beside_axis,
      .samples = samples_of_reduction,
      .linear = {"input"},
      .cast = CastPolicy::float32,
      .reduces_to_element_size = true,
      .spell = {{"jax", "jnp.mean({input}, axis={axis}, keepdims={keepdim})"},
                {"onnx", "reduce(\"ReduceMean\", input, axis, keepdim)"},
                {"torch", "axis == [] ? input : aten::mean(input, axis, keepdim)"},
                {"cpu", "mean(input, axis)"},
                {"rows", "total = sum({input}); output = {total} / {width}"}},
  };
}

}  // namespace mithril
