// Ops that only a group of processes runs.
#pragma once

#include <string_view>

namespace mithril::tests {

// Whether the placement pass alone writes the op. Generated code runs in one process, so no target
// has it.
inline bool is_op_of_groups(std::string_view op) {
  return op.starts_with("all_reduce") || op == "random_uniform_rows";
}

}  // namespace mithril::tests
