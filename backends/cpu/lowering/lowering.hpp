// Lowering: from groups of graph nodes to step descriptors, in the order in which they run.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/fusion/fusion.hpp"

namespace mithril::cpu_backend {

// Sorts the groups topologically, close to the order of the graph, and drops empty ones. Where
// possible, consumers of a donated input run before the group that overwrites it, and that group
// runs as soon as its inputs are made.
NodeGroups schedule(const ShapedGraph& shaped, NodeGroups groups,
                    std::span<const DonatedBuffer> donated);

// One step for each group of elementwise nodes, or a step for each node: by its kernel, as a copy
// or a view, or by the `eval` of its op. Buffer 0 is the arena. The inputs, then the constants, are
// in the buffers from 1 on.
LoweredGraph lower(const LoweringContext& context, const NodeGroups& groups);

// `transposes`: see KernelCall. None if the record names no kernel, or the kernel does not support
// the dtypes or sizes.
std::optional<StepDescriptor> lower_node(const LoweringContext& context, size_t node,
                                         const std::vector<std::optional<ValueId>>& transposes);

// How the kernel of an op uses 16-bit inputs.
enum class HalfUse {
  none,     // not at all
  moves,    // it moves them unchanged
  pairs,    // the first two arguments may both be bfloat16 if the processor multiplies bfloat16
  sides,    // like pairs; also, a constant second argument alone may have 16 bits
  attends,  // the first three arguments may all be bfloat16 if the processor multiplies it
};
HalfUse half_use(const OpDef& op);
// Whether the op's kernel or formula reads the elements of this port. It reads only the dims of
// some ports.
bool reads_elements(const OpDef& op, std::string_view port);

}  // namespace mithril::cpu_backend
