// A norm that stays between 1 and 5, whatever number a training makes of it.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_norm_modifier() {
  return {
      .name = "norm_modifier",
      .doc =
          "5 - |(input - 1) mod 8 - 4|, a wave of straight lines between 1 and 5: the input itself "
          "between 1 and 5. At its peaks its slope is 0.",
      .inputs = {{"input", "*s", "float"}},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input") - 1.0;
            const Expression remainder = x - call("floor", {x / 8.0}) * 8.0;
            e.become(call("subtract", {5.0, call("abs", {remainder - 4.0})}));
          },
  };
}

}  // namespace mithril
