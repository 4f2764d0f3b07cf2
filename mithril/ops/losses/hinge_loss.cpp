// Loss: how far a prediction is from the right side of the margin.
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_hinge_loss() {
  return {
      .name = "hinge_loss",
      .doc =
          "max(0, 1 - target * input), elementwise, for targets 1 and -1. Where target * input is "
          "1, the gradient is half of that below 1.",
      .inputs = {{"input", "*s", "number"}, {"target", "*s", "any"}},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression product = paired(e, "target", "input") * e.in("input");
            e.become(call("maximum", {call("subtract", {1.0, product}), 0.0}));
          },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
