// The product of elements.
#include "mithril/ops/support/reduction.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_prod() {
  return {
      .name = "prod",
      .doc =
          "Product along an axis, several axes, or all of them (None); 1 where there is nothing to "
          "multiply.",
      .inputs = reduction_inputs("any"),
      .outputs = {{"output", "*o", "number"}},
      .solve = solve_counting,
      .eval = [](EvalContext& c) { fold_reduced(c, 1, [](auto& total, auto x) { total *= x; }); },
      .grad =
          [](GradContext& g) {
            const Expression others = call("prod_of_others", {g.in("input"), g.value("axis")});
            g.flow("input", expand_reduced(g, g.out_grad(), g.in("input")) * others);
          },
      .cast = CastPolicy::float32,
      .operations = reduction_operations,
      .spell = {{"torch", "aten::prod(input, axis, keepdim)"}, {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
