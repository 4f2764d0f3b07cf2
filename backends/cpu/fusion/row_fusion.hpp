// Row fusion: runs several steps together, part by part.
#pragma once

#include "backends/cpu/descriptors/lowered_graph.hpp"
#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// Merges each step that can run part by part (`StepDescriptor::row_partitions`) with a step that
// makes one of its inputs, if no other step has to run between them and one part of all their
// values fits in the second-level cache. A value that only the group uses then needs memory for
// some parts only.
void fuse_rows(const LoweringContext& context, LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
