// Steps that gather elements by index.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "gathered(input, index, axis)", for elements of any dtype. None if `index` is a number or
// the output is empty.
std::optional<StepDescriptor> lower_gathering(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

}  // namespace mithril::cpu_backend
