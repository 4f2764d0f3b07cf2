// The passes that merge steps: elementwise groups before lowering; epilogues and row fusion after
// it.
#pragma once

#include <span>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"

namespace mithril::cpu_backend {

// The nodes of each group, in the order of the graph.
using NodeGroups = std::vector<std::vector<size_t>>;

// Puts each node of the graph into one group; some groups are empty. A group of several nodes
// holds elementwise nodes whose outputs have the same dims, merged along the values that they read
// from each other. No group depends on itself by way of another.
NodeGroups fuse_elementwise(const LoweringContext& context);

// Epilogues: elementwise steps that run on the tiles of a GEMM or a convolution while these are in
// the cache. Merges an elementwise step into the step that makes its last input, if no other step
// and no output reads this input. The input then shares the buffer of an output of the elementwise
// step, or only tiles of it exist, or, if neither is possible, it keeps its buffer.
void fuse_epilogues(const LoweringContext& context, LoweredGraph& lowered,
                    std::span<const DonatedBuffer> donated);

// Merges each step that can run part by part (`StepDescriptor::row_partitions`) with a step that
// makes one of its inputs, if no other step has to run between them and one part of all their
// values fits in the second-level cache. A value that only the group uses then needs memory for
// some parts only.
void fuse_rows(const LoweringContext& context, LoweredGraph& lowered);

}  // namespace mithril::cpu_backend
