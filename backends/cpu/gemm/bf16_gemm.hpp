// bfloat16 GEMMs with AVX-512 BF16 or AMX.
#pragma once

#include <optional>

#include "backends/cpu/gemm/gemm_operands.hpp"

namespace mithril::cpu_backend {

// Lowers a GEMM of two bfloat16 operands. C and the bias are float32. None if an operand
// has another dtype, k is 0, or the configuration or the processor has no bfloat16 instructions.
std::optional<StepDescriptor> lower_bf16_gemm(const LoweringContext& context, GemmOperand a,
                                              GemmOperand b, std::optional<GemmOperand> bias,
                                              ValueId c);

}  // namespace mithril::cpu_backend
