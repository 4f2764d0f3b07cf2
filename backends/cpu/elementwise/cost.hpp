// The cost of elementwise programs, for the number of threads that pays off.
#pragma once

#include "backends/cpu/elementwise/instruction.hpp"

namespace mithril::cpu_backend {

// The cost of one element, in additions.
int64_t cost_of(const ElementwiseProgram& program);

// The work that pays off one more thread: elements times cost_of().
inline constexpr int64_t elementwise_grain_size = 1 << 17;

}  // namespace mithril::cpu_backend
