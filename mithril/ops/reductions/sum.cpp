// The sum of elements.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_sum() {
  return {
      .name = "sum",
      .doc =
          "The sum along an axis, several axes, or all of them (None). The sum of no elements is "
          "0.",
      .inputs = reduction_inputs("any"),
      .outputs = {{"output", "*o", "number"}},
      .solve = solve_counting,
      .eval = [](EvalContext& c) { fold_reduced(c, 0, [](auto& total, auto x) { total += x; }); },
      .grad =
          [](GradContext& g) { g.flow("input", expand_reduced(g, g.out_grad(), g.in("input"))); },
      .batch = batch_beside_axis,
      .samples = samples_of_sum,
      .linear = {"input"},
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
      .spell = {{"jax", "jnp.sum({input}, axis={axis}, keepdims={keepdim}, dtype={output.dtype})"},
                {"onnx", "reduce(\"ReduceSum\", input, axis, keepdim)"},
                {"torch", "axis == [] ? input : aten::sum(input, axis, keepdim)"},
                {"cpu", "sum(input, axis)"},
                {"rows", "output = sum({input})"}},
  };
}

}  // namespace mithril
