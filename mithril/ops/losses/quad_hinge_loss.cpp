// Loss: the square of the hinge loss.
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_quad_hinge_loss() {
  return {
      .name = "quad_hinge_loss",
      .doc = "max(0, 1 - target * input)², elementwise, for targets 1 and -1.",
      .inputs = {{"input", "*s", "number"}, {"target", "*s", "any"}},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression product = paired(e, "target", "input") * e.in("input");
            e.become(call("square", {call("maximum", {call("subtract", {1.0, product}), 0.0})}));
          },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
