// Steps that run an op's `eval`, copy a value, or call the observer.
#pragma once

#include "backends/cpu/descriptors/shaped_graph.hpp"
#include "backends/cpu/descriptors/step_descriptor.hpp"
#include "mithril/graph/observer.hpp"

namespace mithril::cpu_backend {

// Runs the `eval` of the node's op. The graph and the plan of `shaped` must outlive the steps of
// all functions here.
StepDescriptor evaluated(const ShapedGraph& shaped, size_t node);
// Copies the elements of the node's first tensor argument to its output, in the same order.
StepDescriptor copied(const ShapedGraph& shaped, size_t node);
// Passes a copy of each output of the node to the observer, and writes the tensor that the observer
// returns to the output.
StepDescriptor observed(const ShapedGraph& shaped, size_t node, const Observer& observer);

}  // namespace mithril::cpu_backend
