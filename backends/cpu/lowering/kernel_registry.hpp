// From a node to the kernel that its record spells for this backend.
#pragma once

#include <optional>
#include <string_view>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// Nothing where the record spells none, or the kernel is not for these dtypes.
std::optional<StepDescriptor> lower_node(const LoweringContext& context, size_t node);

// What the kernel of an op does with elements of 16 bits.
enum class HalfUse {
  none,     // it takes none
  moves,    // it moves them as they are
  pairs,    // its first two arguments may both be bfloat16, where the processor multiplies that
  sides,    // the same, and the second may be any alone, where it is constant
  attends,  // its first three arguments may all be bfloat16, where the processor multiplies that
};
HalfUse half_use(const OpDef& op);
// Whether elements of this port are read by the op's kernel or formula: some tell dims alone.
bool reads_elements(const OpDef& op, std::string_view port);

}  // namespace mithril::cpu_backend
