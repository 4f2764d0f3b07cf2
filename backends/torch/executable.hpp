// A graph that runs on torch's operators.
#pragma once

#include <memory>

#include "backends/torch/memory.hpp"
#include "backends/torch/settings.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// What everything that a backend runs shares.
struct Context {
  Settings settings;
  std::shared_ptr<TorchMemory> memory;  // shared: what runs may outlive the backend
};

// With options.split, outputs of inputs that require a gradient can be differentiated by torch.
std::unique_ptr<Executable> make_executable(const Graph& graph, const Context& context,
                                            const LoadOptions& options);

}  // namespace mithril::torch_backend
