// is_nan: whether an element is NaN.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_is_nan() {
  return {
      .name = "is_nan",
      .doc = "Whether each element is NaN. It is false for all ints and bools.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {{"output", "*s", "bool"}},
      .expand =
          [](ExpandContext& e) {
            e.become(call("not_equal", {e.in("input"), e.in("input")}));
          },
      .integers = IntegerUse::bits,
  };
}

}  // namespace mithril
