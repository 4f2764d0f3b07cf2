// The kernel registry: finds the kernel that the record of an op names, and lowers the node to it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"

namespace mithril::cpu_backend {

// `transposes`: see KernelCall. None if the record names no kernel, or the kernel does not support
// the dtypes or sizes.
std::optional<StepDescriptor> lower_node(const LoweringContext& context, size_t node,
                                         const std::vector<std::optional<ValueId>>& transposes);

// How the kernel of an op uses 16-bit inputs.
enum class HalfSupport {
  none,       // no 16-bit inputs: they are cast to float32 before it
  copies,     // moves them unchanged
  bf16_pair,  // the first two arguments may both be bfloat16 if the processor multiplies bfloat16
  half_weights,    // like bf16_pair; also, a constant second argument alone may have 16 bits
  bf16_attention,  // the first three arguments may all be bfloat16 if the processor multiplies it
};
HalfSupport half_support(const OpDef& op);
// Whether the op's kernel or formula reads the elements of this port. It reads only the dims of
// some ports.
bool reads_elements(const OpDef& op, std::string_view port);

}  // namespace mithril::cpu_backend
