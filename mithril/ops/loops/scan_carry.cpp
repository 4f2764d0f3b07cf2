// scan_carry: a value that each step of a loop passes to the next.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {

OpDef define_scan_carry() {
  return {
      .name = "scan_carry",
      .doc = "The carry that a step of a loop reads: `initial` in the first step.",
      .internal = true,
      .inputs = {{"initial", "*s", "T=any"}, {"steps", "steps", "int"}},
      .outputs = {{"output", "*s", "T"}},
      .expand = refuse_outside_of_loops,
      .dtype_from = "initial",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
