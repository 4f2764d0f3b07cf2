// narrow: back from widen.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_narrow() {
  return {
      .name = "narrow",
      .doc =
          "The input in the widest float dtype of `like`, or in the default float dtype if `like` "
          "has no floats. It converts the results of `widen` back.",
      .internal = true,
      .inputs = {{"input", "*s", "float"}, list("like", "*each", "any")},
      .outputs = {{"output", "*s", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            e.become(x.dtype() == e.dtype() ? x : call("cast", {x, Datum(e.dtype())}));
          },
      .dtype_from = "like",
  };
}

}  // namespace mithril
