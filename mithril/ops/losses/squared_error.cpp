// Loss: the squared difference.
#include "mithril/ops/support/paired.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_squared_error() {
  return {
      .name = "squared_error",
      .doc = "(input - target)², elementwise.",
      .inputs = {{"input", "*s", "T=any"}, {"target", "*s", "U=any"}},
      .outputs = {{"output", "*s", "promote(T, U)"}},
      .solve =
          [](Solver& s) {
            s.narrow("output", kind::int_tensor | kind::float_tensor);  // bools have no difference
            return true;
          },
      .expand =
          [](ExpandContext& e) {
            e.become(call("square", {e.in("input") - paired(e, "target", "input")}));
          },
      .cast = CastPolicy::float32,
      .integers = IntegerUse::bits,
      .objective = true,
  };
}

}  // namespace mithril
