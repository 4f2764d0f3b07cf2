// The largest of elements.
#include "mithril/ops/support/batching.hpp"
#include "mithril/ops/support/extremum_reduction.hpp"
#include "mithril/ops/support/samples.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_max() {
  return {
      .name = "max",
      .doc =
          "The largest element along an axis, several axes, or all of them (None). NaN if an "
          "element is NaN. Equal largest elements share the gradient equally.",
      .inputs = reduction_inputs("T=any"),
      .outputs = {{"output", "*o", "T"}},
      .solve = [](Solver& s) { return solve_reduction(s); },
      .eval = [](EvalContext& c) { eval_extremum(c, [](auto x, auto best) { return x > best; }); },
      .grad = differentiate_extremum,
      .batch = batch_beside_axis,
      .samples = samples_of_reduction,
      .combines_by = "max",
      .integers = IntegerUse::order,
      .reduces_to_element_size = true,
      .spell = {{"jax", "extremum(jnp.max, {input}, {axis}, {keepdim}, {output.shape})"},
                {"onnx", "reduce(\"ReduceMax\", input, axis, keepdim)"},
                {"torch", "aten::amax",
                 [](const SpellingContext& c) { return spell_extremum("aten::amax", c); }},
                {"cpu", "max(input, axis)"}},
  };
}

}  // namespace mithril
