// Steps that multiply matrices.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "product(left, right)" or "product(left, transposed(right), bias)": over the last two axes, those
// before them broadcast; the bias for each column. Nothing where dtypes differ, but for a constant
// right side of 16 bits that meets float32, or are none that kernels are for.
std::optional<StepDescriptor> lower_gemm(const LoweringContext& context, size_t node,
                                         const SpelledExpression& call);

}  // namespace mithril::cpu_backend
