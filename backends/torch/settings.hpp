// What a user may ask of the backend, as the plugin takes it: options by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/torch/library.hpp"
#include "mithril/infer/datum.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::torch_backend {

// As TorchOptions (torch.hpp), checked.
struct Settings {
  std::string device = "cpu";  // one that is there, with its number: "cuda:0"
  DType dtype = DType::float32;
  bool memory_efficient = false;
  bool requires_grad = false;
  bool use_amp = false;
  std::optional<DType> amp_dtype = std::nullopt;  // float16 or bfloat16
  bool jit_compile = false;
  bool eager_mode = false;
  std::optional<int64_t> memory_limit = std::nullopt;  // in bytes
  bool preallocate = false;  // all that memory_limit allows, when the backend is made
  bool release_unused = false;
  Switches switches = Switches::as_they_are;

  // What products are computed in: nothing where mixed precision is not asked for.
  std::optional<DType> mixed_precision() const;
};

// NameError E0616 for an option that there is not, BackendError E1005 for a device that is not
// there, TypeError E0383 for a dtype that is none of floats, E0385 for an amp_dtype that is not
// lower, ValueError E0430 for a memory_limit that is no size, NameError E0620 for
// a memory_allocation that there is not, ValueError E0431 where it does not go with other options.
Settings read_settings(const Arguments& options);

}  // namespace mithril::torch_backend
