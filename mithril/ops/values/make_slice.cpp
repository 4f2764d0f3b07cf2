// make_slice: three ints as a slice.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_make_slice() {
  return {
      .name = "make_slice",
      .doc = "slice(start, stop, step), an index. Each bound is an int or None.",
      .inputs = {value("start", "int|none"), value("stop", "int|none"), value("step", "int|none")},
      .outputs = {value("output", "slice")},
      .solve =
          [](Solver& s) {
            const Datum *start = s.value("start"), *stop = s.value("stop"), *step = s.value("step");
            if (!start || !stop || !step) return false;
            s.set_value("output", Slice{*start, *stop, *step});
            return true;
          },
  };
}

}  // namespace mithril
