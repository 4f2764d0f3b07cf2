// Steps of softmax, log_softmax and their gradients over the last axis.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "softmax(input, axis)", "log_softmax(input, axis)", "softmax_grad(grad, result, axis)" or
// "log_softmax_grad(grad, result, axis)". None for another axis than the last, and for dtypes
// without kernels.
std::optional<StepDescriptor> lower_rows(const LoweringContext& context, size_t node,
                                         const SpelledExpression& call);

}  // namespace mithril::cpu_backend
