// Ops without rows that every target runs: those of groups of processes, and those of loops.
#pragma once

#include <string_view>

namespace mithril::tests {

// Whether the placement pass alone writes the op. Generated code runs in one process, so no target
// has it.
inline bool is_op_of_groups(std::string_view op) {
  return op.starts_with("all_reduce") || op == "random_uniform_rows";
}

// Whether the op is one of those that loops are made of. It has no meaning outside of a loop, or
// takes a graph: tests/loops has loops.
inline bool is_op_of_loops(std::string_view op) { return op == "scan" || op.starts_with("scan_"); }

}  // namespace mithril::tests
