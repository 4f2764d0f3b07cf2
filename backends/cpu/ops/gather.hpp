// Steps that choose elements by index.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "gathered(input, index, axis)", of a tensor of indices and elements of any dtype.
std::optional<StepDescriptor> lower_gathering(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

}  // namespace mithril::cpu_backend
