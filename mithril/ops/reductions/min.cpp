// The smallest of elements.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/extremum_reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_min() {
  return {
      .name = "min",
      .doc =
          "The smallest element along an axis, several axes, or all of them (None). NaN if an "
          "element is NaN. Equal smallest elements share the gradient equally.",
      .inputs = reduction_inputs("T=any"),
      .outputs = {{"output", "*o", "T"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval = [](EvalContext& c) { eval_extremum(c, [](auto x, auto best) { return x < best; }); },
      .grad = differentiate_extremum,
      .batch = batch_beside_axis,
      .samples = samples_of_reduction,
      .combines_by = "min",
      .integers = IntegerUse::order,
      .reduces_to_element_size = true,
      .spell = {{"jax", "extremum(jnp.min, {input}, {axis}, {keepdim}, {output.shape})"},
                {"onnx", "reduce(\"ReduceMin\", input, axis, keepdim)"},
                {"torch", "aten::amin",
                 [](const SpellingContext& c) { return spell_extremum("aten::amin", c); }},
                {"cpu", "min(input, axis)"}},
  };
}

}  // namespace mithril
