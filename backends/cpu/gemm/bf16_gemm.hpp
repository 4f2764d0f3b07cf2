// Products of bfloat16 by the processor's own instruction for them.
#pragma once

#include <optional>

#include "backends/cpu/gemm/gemm_operands.hpp"

namespace mithril::cpu_backend {

// Nothing where the sides are not of bfloat16 both, or the processor has no such instruction. What
// is made, and the bias, are of float32.
std::optional<StepDescriptor> lower_bf16_gemm(const LoweringContext& context, Side left, Side right,
                                              std::optional<Side> bias, ValueId product);

}  // namespace mithril::cpu_backend
