// Steps of max and average pooling, and of their gradients.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "max_pool(input, kernel_size, stride, padding, dilation)" or "average_pool(...)" with the
// same arguments. The second output of max_pool, the positions of the maxima, is computed only if
// it is used. None for dtypes without kernels.
std::optional<StepDescriptor> lower_pooling(const LoweringContext& context, size_t node,
                                            const SpelledExpression& call);

// Lowers "max_pool_grad(grad, input, places, kernel_size, stride, padding, dilation)" or
// "average_pool_grad(grad, input, kernel_size, stride, padding, dilation)".
std::optional<StepDescriptor> lower_pooling_grad(const LoweringContext& context, size_t node,
                                                 const SpelledExpression& call);

}  // namespace mithril::cpu_backend
