// Steps that do the same with each row along the last axis.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "softmax(input, axis)", "log_softmax(input, axis)", "softmax_grad(grad, result, axis)" and
// "log_softmax_grad(grad, result, axis)". Nothing along another axis than the last, and for dtypes
// that kernels are not for.
std::optional<StepDescriptor> lower_rows(const LoweringContext& context, size_t node,
                                         const SpelledExpression& call);

}  // namespace mithril::cpu_backend
