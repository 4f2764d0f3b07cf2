// Interprets elementwise programs block by block, so that intermediate values stay in the
// first-level cache.
#pragma once

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "backends/cpu/elementwise/program.hpp"

namespace mithril::cpu_backend {

// Element costs (cost_of) that pay off a thread.
inline constexpr int64_t elementwise_grain_size = 1 << 17;

// Whether the blocks of the program fit the room that a thread has for them.
bool fits_a_step(const ElementwiseProgram& program);

// Uses at most this many threads, and native code if the plan has it.
std::unique_ptr<ElementStep> make_elementwise_step(const LoweringContext& context,
                                                   const ElementwiseProgram& program, int threads,
                                                   const BufferRefs& refs);

}  // namespace mithril::cpu_backend
