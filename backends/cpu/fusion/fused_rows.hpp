// Steps that treat parts of values on their own, as one.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// In the order in which they run.
struct Group {
  std::vector<size_t> steps;
  int64_t parts = 0;  // that all of its values can be cut into; 0: they cannot
};

// Into how many parts the value can be cut where the step reads or writes it; 0: it cannot.
int64_t parts_of(const StepDescriptor& descriptor, ValueId id);

// Of all values that a part of the group meets its own part of.
int64_t part_bytes(const ShapedGraph& shaped, const LoweredGraph& lowered, const Group& group);

// On so many threads it is worth to run.
int threads_of(const LoweringContext& context, const LoweredGraph& lowered, const Group& group);

// Takes the descriptors of its steps, in whose places nothing useful is left. `is_own`, per
// storage: only the group meets it.
StepDescriptor joined(const LoweringContext& context, LoweredGraph& lowered, const Group& group,
                      const std::vector<bool>& is_own);

}  // namespace mithril::cpu_backend
