// Ops that move elements, in another order or some of them, and change none.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "swapaxes(input, axis1, axis2)", "permuted(input, axes)", where None reverses them, or
// "sliced(input, starts, stops, steps, axes)".
std::optional<StepDescriptor> lower_movement(const LoweringContext& context, size_t node,
                                             const SpelledExpression& call);

// "unsliced(input, like, starts, stops, steps, axes)": zeros, and the input where slices of `like`
// would stand.
std::optional<StepDescriptor> lower_unslicing(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call);

// The tensor of which the node's output is the same with its last two axes exchanged; nothing where
// it is another movement, or none.
std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
