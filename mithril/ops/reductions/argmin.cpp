// argmin: the index of the smallest element.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/extremum_reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_argmin() {
  return {
      .name = "argmin",
      .doc =
          "The index of the smallest element along an axis, or in the flattened input if axis is "
          "None. It is the first index of equal elements, and that of the first NaN if there is "
          "one.",
      .inputs = reduction_inputs("any", "int|none"),
      .outputs = {{"output", "*o", "int"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval =
          [](EvalContext& c) { eval_best_index(c, [](auto x, auto best) { return x < best; }); },
      .not_differentiable = "an index is an integer",
      .batch = batch_beside_axis_or_flat,
      .samples = samples_of_reduction,
      .integers = IntegerUse::order,
      .spell =
          {{"jax",
            "best_index(jnp.argmin, {input}, {axis}, {keepdim}, {output.shape}, {output.dtype})"},
           {"onnx", "best(\"ArgMin\", input.raw, axis, keepdim)"},
           {"torch", "aten::argmin",
            [](const SpellingContext& c) { return spell_best_index("aten::argmin", c); }}},
  };
}

}  // namespace mithril
