// A graph that runs on torch's operators.
#pragma once

#include <memory>

#include "backends/torch/settings.hpp"
#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// With options.split, outputs of inputs that require a gradient can be differentiated by torch.
std::unique_ptr<Executable> make_executable(const Graph& graph, const Settings& settings,
                                            const LoadOptions& options);

// The tensor on the device; a parameter as a leaf of torch's autograd where that was asked for.
Tensor adopt(const Tensor& tensor, const Settings& settings, bool parameter);

}  // namespace mithril::torch_backend
