// The backend that runs on PyTorch's operators. No header of torch is needed here, and none at
// compile time: the library behind it is opened when the backend is made.
#pragma once

#include <memory>
#include <string>

#include "mithril/backend/plugin.hpp"

namespace mithril {

struct TorchOptions {
  std::string device = "cpu";    // "cuda", "cuda:1", "mps"
  DType dtype = DType::float32;  // of floats that nothing else decides; a floating one
  bool requires_grad = false;    // whether parameters are leaves of torch's autograd
};

// BackendError E1006 where the plugin or torch is missing, E1005 for a device that is not there.
inline std::shared_ptr<Backend> torch(const TorchOptions& options = {}) {
  return load_backend(plugin_path("mithril_torch"), {{"device", options.device},
                                                     {"dtype", options.dtype},
                                                     {"requires_grad", options.requires_grad}});
}

}  // namespace mithril
