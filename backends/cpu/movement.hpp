// Ops that put the axes of a tensor in another order.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/context.hpp"
#include "backends/cpu/draft.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::cpu_backend {

// "swapaxes(input, axis1, axis2)", or "permuted(input, axes)", where None reverses them.
std::optional<Draft> draft_movement(const Context& context, size_t node,
                                    const SpelledExpression& call);

// The tensor of which the node's output is the same with its last two axes exchanged; nothing where
// it is another movement, or none.
std::optional<ValueId> transposed_by(const Sized& sized, size_t node);

}  // namespace mithril::cpu_backend
