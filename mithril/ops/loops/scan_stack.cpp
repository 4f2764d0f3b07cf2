// scan_stack: the values of all steps of a loop.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {
namespace {

bool solve_stack(Solver& s) { return solve_axis_of_steps(s, "output", "input"); }

}  // namespace

OpDef define_scan_stack() {
  return {
      .name = "scan_stack",
      .doc =
          "The values of `input` in all steps of a loop, along a new axis. `carried` has each "
          "carry of the loop and its next value.",
      .internal = true,
      .inputs = {{"input", "*v", "T=any"},
                 {"steps", "steps", "int"},
                 value("axis", "int"),
                 list("carried", "*each", "any")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_stack,
      .expand = refuse_outside_of_loops,
      .dtype_from = "input",
      .cast = CastPolicy::float32,
  };
}

}  // namespace mithril
