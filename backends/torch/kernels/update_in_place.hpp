// Results of donated inputs that overwrite these inputs: the parameters and the state of a training
// step.
#pragma once

#include <span>

#include "backends/torch/program/program.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// Lets each batch (fused_kernel.hpp) overwrite the donated inputs that it reads once and nothing
// reads later. Other results of donated inputs are copied to them at the end of a run.
void update_in_place(const Graph& graph, TorchProgram& program,
                     std::span<const Donation> donations);

}  // namespace mithril::torch_backend
