// Steps that interpret elementwise programs block by block. Intermediate values stay in the
// first-level cache.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// Whether the program fits into the slots and blocks that a thread has.
bool fits_a_step(const ElementwiseProgram& program);

// Uses at most `threads` threads, and native code if the plan has it.
std::unique_ptr<ElementStep> make_elementwise_step(const LoweringContext& context,
                                                   const ElementwiseProgram& program, int threads,
                                                   const BufferRefs& refs);

// The outputs, and the inputs of which each part of the outputs reads only the same part; other
// inputs have 1 part. Empty: an output cannot be cut.
std::vector<RowPartition> row_partitions(const ShapedGraph& shaped,
                                         const ElementwiseProgram& program);

StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program);

}  // namespace mithril::cpu_backend
