// Steps that pool windows.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "max_pool(input, kernel_size, stride, padding, dilation)", whose second output are the places of
// what is largest, made where somebody reads them; or "average_pool(...)" of the same. Nothing for
// dtypes that no kernels are for.
std::optional<StepDescriptor> lower_pooling(const LoweringContext& context, size_t node,
                                            const SpelledExpression& call);

// "max_pool_grad(grad, input, places, kernel_size, stride, padding, dilation)", or
// "average_pool_grad(grad, input, kernel_size, stride, padding, dilation)".
std::optional<StepDescriptor> lower_pooling_grad(const LoweringContext& context, size_t node,
                                                 const SpelledExpression& call);

}  // namespace mithril::cpu_backend
