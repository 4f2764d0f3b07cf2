// Steps that need no kernel: an op run as its record says what it means, elements copied, a value
// shown to who looks on.
#pragma once

#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

// The `eval` of the node's op. What `shaped` was made of outlives the steps, here and below.
StepDescriptor evaluated(const ShapedGraph& shaped, size_t node);
// The elements of the node's first tensor, in their order.
StepDescriptor copied(const ShapedGraph& shaped, size_t node);
// What the node made is shown, and what the observer gives is put in its place.
StepDescriptor observed(const ShapedGraph& shaped, size_t node, const Observer& observer);

}  // namespace mithril::cpu_backend
