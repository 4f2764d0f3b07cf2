// Steps that put elements at indices along an axis.
#pragma once

#include <optional>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "placed(input, index, source, axis, reduce)". The step may write into the buffer of
// `input`; then it writes only the elements of `source`. None if `reduce` is not "set" or the
// output is empty.
std::optional<StepDescriptor> lower_placing(const LoweringContext& context, size_t node,
                                            const SpelledExpression& call);

}  // namespace mithril::cpu_backend
