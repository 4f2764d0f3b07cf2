// argmax: the index of the largest element.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/extremum_reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_argmax() {
  return {
      .name = "argmax",
      .doc =
          "The index of the largest element along an axis, or in the flattened input if axis is "
          "None. It is the first index of equal elements, and that of the first NaN if there is "
          "one.",
      .inputs = reduction_inputs("any", "int|none"),
      .outputs = {{"output", "*o", "int"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval =
          [](EvalContext& c) { eval_best_index(c, [](auto x, auto best) { return x > best; }); },
      .not_differentiable = "an index is an integer",
      .batch = batch_beside_axis_or_flat,
      .samples = samples_of_reduction,
      .integers = IntegerUse::order,
      .spell =
          {{"jax",
            "best_index(jnp.argmax, {input}, {axis}, {keepdim}, {output.shape}, {output.dtype})"},
           {"onnx", "best(\"ArgMax\", input.raw, axis, keepdim)"},
           {"torch", "aten::argmax",
            [](const SpellingContext& c) { return spell_best_index("aten::argmax", c); }}},
  };
}

}  // namespace mithril
