// branch_input: a value that a branch reads.
#include "mithril/ops/loops/step_values.hpp"

namespace mithril {

OpDef define_branch_input() {
  return {
      .name = "branch_input",
      .doc =
          "`input` in the branch that runs if `condition` is true (`then`), or false. Nodes that "
          "depend on it run with the branch.",
      .internal = true,
      .inputs = {{"input", "*s", "T=any"}, {"condition", "", "bool"}, value("then", "bool", true)},
      .outputs = {{"output", "*s", "T"}},
      .expand = refuse_outside_of_branches,
      .dtype_from = "input",
  };
}

}  // namespace mithril
