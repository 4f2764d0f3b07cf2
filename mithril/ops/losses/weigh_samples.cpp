// The elements of each sample times its weight.
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_weigh_samples() {
  return {
      .name = "weigh_samples",
      .doc = "input[n, ...] * weight[n].",
      .internal = true,
      .inputs = {{"input", "N *s", "float"}, {"weight", "N", "number"}},
      .outputs = {{"output", "N *s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            Expression weight = e.in("weight");
            if (weight.dtype() != x.dtype()) weight = call("cast", {weight, Datum(x.dtype())});
            e.become(call("swapaxes", {call("swapaxes", {x, 0, -1}) * weight, 0, -1}));
          },
      .dtype_from = "input",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
