// A graph that runs on torch's operators.
#pragma once

#include <memory>

#include "mithril/backend/backend.hpp"

namespace mithril::torch_backend {

// `device`: "cpu", "cuda:1"; one that is there. With options.split, outputs of inputs that require
// a gradient can be differentiated by torch.
std::unique_ptr<Executable> make_executable(const Graph& graph, const std::string& device,
                                            const LoadOptions& options);

}  // namespace mithril::torch_backend
