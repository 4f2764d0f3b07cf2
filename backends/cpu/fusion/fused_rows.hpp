// Row fusion: merges the step descriptors of a row group into one.
#pragma once

#include <vector>

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// The steps of a row group, in the order in which they run.
struct RowGroup {
  std::vector<size_t> steps;
  int64_t parts = 0;  // the row partition of all values; 0: they cannot be cut
};

// The number of parts into which the step can cut the value; 0: it cannot.
int64_t parts_of(const StepDescriptor& descriptor, ValueId id);

// The bytes of one part of all values that the group cuts.
int64_t part_bytes(const ShapedGraph& shaped, const LoweredGraph& lowered, const RowGroup& group);

// The number of threads that pays off, at most config.threads.
int threads_of(const LoweringContext& context, const LoweredGraph& lowered, const RowGroup& group);

// The descriptor of the group. Moves the descriptors of its steps. `is_private`, per
// storage: only the group uses it.
StepDescriptor fused_descriptor(const LoweringContext& context, LoweredGraph& lowered,
                                const RowGroup& group, const std::vector<bool>& is_private);

}  // namespace mithril::cpu_backend
