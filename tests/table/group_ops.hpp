// Ops that do not run by themselves, or not on every target.
#pragma once

#include <string_view>

namespace mithril::tests {

// Whether the placement pass alone writes the op. Generated code runs in one process, so no target
// has it.
inline bool is_op_of_groups(std::string_view op) {
  return op.starts_with("all_reduce") || op == "random_uniform_rows" || op == "randn_rows" ||
         op == "randint_rows";
}

// Whether the op is one of those that loops and branches are made of. It has no meaning by itself,
// or takes graphs: tests/loops has loops and branches.
inline bool is_op_of_loops(std::string_view op) {
  return op == "scan" || op.starts_with("scan_") || op == "cond" || op.starts_with("branch_") ||
         op.starts_with("while_");
}

// Whether the op has a meaning only with its counterpart, between which vmap transforms the nodes.
inline bool is_op_of_vmap(std::string_view op) {
  return op == "row_of" || op == "stack_rows" || op == "unit_of" || op == "stack_units";
}

}  // namespace mithril::tests
