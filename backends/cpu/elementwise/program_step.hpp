// Runs loops block by block, so that what is made on the way stays in the first-level cache.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// Operations on elements that are worth a thread of their own, and how many one element takes.
inline constexpr int64_t elementwise_grain_size = 1 << 17;
int64_t cost_of(const ElementwiseProgram& program);

// False where the loop needs more room than a thread has for it.
bool fits_a_step(const ElementwiseProgram& program);
StepDescriptor lower_elementwise(const LoweringContext& context, ElementwiseProgram program);
// By at most so many threads; as native code where the plan has that.
std::unique_ptr<ElementStep> make_elementwise_step(const LoweringContext& context,
                                                   const ElementwiseProgram& program, int threads,
                                                   const BufferRefs& refs);

}  // namespace mithril::cpu_backend
