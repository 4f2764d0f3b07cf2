// A graph that runs on torch's operators.
#pragma once

#include <memory>

#include "backends/torch/device/memory.hpp"
#include "backends/torch/device/settings.hpp"
#include "backends/torch/recording/recorder.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// The state that all executables of a backend share.
struct Context {
  Settings settings;
  std::shared_ptr<TorchMemory> memory;     // shared: executables may outlive the backend
  std::shared_ptr<Recordings> recordings;  // of all executables; null: nothing is recorded
};

// With options.split, torch can differentiate outputs if inputs require gradients.
std::unique_ptr<Executable> make_executable(const Graph& graph, const Context& context,
                                            const LoadOptions& options);

}  // namespace mithril::torch_backend
