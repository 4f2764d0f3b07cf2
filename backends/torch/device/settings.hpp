// The options of the backend, which the plugin takes by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/torch/device/library.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::torch_backend {

// The checked form of TorchOptions (torch.hpp).
struct Settings {
  std::string device = "cpu";  // an existing device, with its number: "cuda:0"
  DType dtype = DType::float32;
  bool memory_efficient = false;
  bool requires_grad = false;
  bool use_amp = false;
  std::optional<DType> amp_dtype = std::nullopt;  // float16 or bfloat16
  bool jit_compile = false;
  bool eager_mode = false;
  std::optional<int64_t> memory_limit = std::nullopt;  // in bytes
  bool preallocate = false;  // allocate the whole memory_limit when the backend is made
  bool release_unused = false;
  Switches switches = Switches::as_they_are;

  // The dtype of products; none without mixed precision.
  std::optional<DType> mixed_precision() const;
};

// NameError E0616 for an unknown option, BackendError E1005 for an unknown device, TypeError E0383
// for a dtype that is not floating, E0385 for an amp_dtype that is not lower, ValueError E0430 for
// a memory_limit that is not a size, NameError E0620 for an unknown memory_allocation, ValueError
// E0431 for options that exclude each other.
Settings read_settings(const Arguments& options);

}  // namespace mithril::torch_backend
