// argmax: the index of the largest element.
#include "mithril/ops/support/extremum_reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_argmax() {
  return {
      .name = "argmax",
      .doc =
          "Index of the largest element along an axis, or, with None, in the flattened input; the "
          "first of equals, or "
          "of those that are NaN.",
      .inputs = reduction_inputs("any", "int|none"),
      .outputs = {{"output", "*o", "int"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval =
          [](EvalContext& c) { eval_best_index(c, [](auto x, auto best) { return x > best; }); },
      .not_differentiable = "an index is an integer",
      .samples = samples_of_reduction,
      .spell =
          {{"jax",
            "best_index(jnp.argmax, {input}, {axis}, {keepdim}, {output.shape}, {output.dtype})"},
           {"torch", "aten::argmax",
            [](const SpellingContext& c) { return spell_best_index("aten::argmax", c); }}},
  };
}

}  // namespace mithril
