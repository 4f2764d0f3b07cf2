// scan_item: the element of a sequence that a step of a loop reads.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_item(Solver& s) { return solve_axis_of_steps(s, "sequence", "output"); }

}  // namespace

OpDef define_scan_item() {
  return {
      .name = "scan_item",
      .doc = "The element of `sequence` along `axis` that a step of a loop reads.",
      .internal = true,
      .inputs = {{"sequence", "*a", "T=any"}, {"steps", "steps", "int"}, value("axis", "int", 0)},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_item,
      .expand = refuse_outside_of_loops,
      .dtype_from = "sequence",
  };
}

}  // namespace mithril
