// Steps that move elements: transposes and slices.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/descriptors/lowering_context.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// Lowers "swapaxes(input, axis1, axis2)", "permuted(input, axes)", where axes None reverses all
// axes, or "sliced(input, starts, stops, steps, axes)". None if the slices do not have the dims of
// the output.
std::optional<StepDescriptor> lower_movement(const LoweringContext& context, size_t node,
                                             const SpelledExpression& call);

// Lowers "unsliced(input, like, starts, stops, steps, axes)": zeros with the dims of `like`, except
// that the slice holds the input. None if the slice does not have the dims of the input, or the
// input is empty.
std::optional<StepDescriptor> lower_slice_grad(const LoweringContext& context, size_t node,
                                               const SpelledExpression& call);

// The source of which the node's output is the transpose (last two axes); none for any other node.
std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node);

}  // namespace mithril::cpu_backend
