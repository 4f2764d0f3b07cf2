// by_mode: one tensor while training, and another in inference.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_by_mode() {
  return {
      .name = "by_mode",
      .doc =
          "`training` in training mode and `inference` in inference mode. is_inference sets the "
          "mode; None follows the mode of ml.compile. Ops that serve only the other mode are not "
          "computed.",
      .inputs = {{"training", "*s", "T"},
                 {"inference", "*s", "T"},
                 value("is_inference", "bool|none", Datum())},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            s.narrow("training", kind::tensor);
            return true;
          },
      // Compiling replaces by_mode before (settle_mode). Without compiling, the mode is training.
      .expand =
          [](ExpandContext& c) {
            const Datum& mode = c.value("is_inference");
            const bool inference = mode.kind() == kind::bool_value && mode.flag();
            c.become(c.in(inference ? "inference" : "training"));
          },
      .canonical = {"training"},
  };
}

}  // namespace mithril
