// What a user may ask of the backend, as the plugin takes it: options by name.
#pragma once

#include <string>

#include "mithril/op/op_def.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::torch_backend {

// As TorchOptions (torch.hpp), checked.
struct Settings {
  std::string device = "cpu";  // one that is there, with its number: "cuda:0"
  DType dtype = DType::float32;
  bool requires_grad = false;
};

// NameError E0616 for an option that there is not, BackendError E1005 for a device that is not
// there, TypeError E0383 for a dtype that is none of floats.
Settings read_settings(const Arguments& options);

}  // namespace mithril::torch_backend
