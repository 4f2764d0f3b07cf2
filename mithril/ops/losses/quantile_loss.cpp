// The loss that a quantile minimises.
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_quantile_loss() {
  return {
      .name = "quantile_loss",
      .doc =
          "max(quantile * error, (quantile - 1) * error) with error = target - input, elementwise. "
          "At error 0 the slope is the mean of both slopes.",
      .inputs = {{"input", "*s", "number"},
                 {"target", "*s", "number"},
                 {"quantile", "", "operand", 0.5}},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression error = paired(e, "target", "input") - e.in("input");
            const Expression above = error * e.operand("quantile");
            e.become(call("maximum", {above, above - error}));
          },
      .cast = CastPolicy::float32,
      .objective = true,
  };
}

}  // namespace mithril
