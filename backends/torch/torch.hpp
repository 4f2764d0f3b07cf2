// The backend that runs on PyTorch's operators. No header of torch is needed here, and none at
// compile time: the library behind it is opened when the backend is made.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mithril/backend/plugin.hpp"

namespace mithril {

struct TorchOptions {
  std::string device = "cpu";    // "cuda", "cuda:1", "mps"
  DType dtype = DType::float32;  // of floats that nothing else decides; a floating one
  bool requires_grad = false;    // whether parameters are leaves of torch's autograd
  bool use_amp = false;          // products in lower precision; parameters stay as they are
  // float16 or bfloat16; by default bfloat16 on the CPU, float16 elsewhere.
  std::optional<DType> amp_dtype = std::nullopt;
  bool jit_compile = false;  // runs as TorchScript what TorchScript can express
};

// BackendError E1006 where the plugin or torch is missing, E1005 for a device that is not there.
inline std::shared_ptr<Backend> torch(const TorchOptions& options = {}) {
  Arguments arguments{{"device", options.device},
                      {"dtype", options.dtype},
                      {"requires_grad", options.requires_grad},
                      {"use_amp", options.use_amp},
                      {"jit_compile", options.jit_compile}};
  if (options.amp_dtype) arguments.emplace_back("amp_dtype", *options.amp_dtype);
  return load_backend(plugin_path("mithril_torch"), arguments);
}

}  // namespace mithril
