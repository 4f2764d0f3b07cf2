// length: the size of the first axis of a tensor, as a value.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_length() {
  return {
      .name = "length",
      .doc =
          "The size of the first axis of a tensor, as an int. It is symbolic until the size is "
          "known.",
      .inputs = {{"input", "length *s", "any"}},
      .outputs = {value("output", "int")},
      .solve =
          [](Solver& s) {
            s.set_value("output", s.dim("length"));
            return true;
          },
  };
}

}  // namespace mithril
