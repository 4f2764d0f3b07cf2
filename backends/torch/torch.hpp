// The backend that runs on PyTorch's operators. This header needs no header of torch and no torch
// at compile time: the library is opened when the backend is made.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mithril/backend/plugin.hpp"

namespace mithril {

// preallocate: allocate the whole memory_limit when the backend is made.
enum class MemoryAllocation { lazy, preallocate };

struct TorchOptions {
  std::string device = "cpu";    // "cuda", "cuda:1", "mps"
  DType dtype = DType::float32;  // the default dtype of floats; a floating dtype
  // Compiles every model with use_checkpointing.
  bool memory_efficient = false;
  bool requires_grad = false;  // whether parameters are leaves of torch's autograd
  bool use_amp = false;        // products in lower precision; parameters keep their dtype
  // float16 or bfloat16; default: bfloat16 on the CPU, float16 otherwise.
  std::optional<DType> amp_dtype = std::nullopt;
  bool jit_compile = false;  // runs supported programs as TorchScript
  // Runs the composed ops one by one, so that hooks, debug output and errors occur at the op.
  // Excludes jit_compile, memory_efficient, and compiling with use_checkpointing or "max".
  bool eager_mode = false;
  // "4GB" (10^9 bytes each), "4GiB" (2^30), or bytes. Larger allocations raise OutOfMemoryError
  // E1101.
  Datum memory_limit = None{};
  // The same bits from run to run. BackendError E1024 for an op without a deterministic kernel.
  bool deterministic = false;
  bool benchmark = false;  // cuDNN tries its kernels; excludes deterministic
  MemoryAllocation memory_allocation = MemoryAllocation::lazy;
  bool release_unused = false;  // whether cached memory is released after each evaluate
};

// BackendError E1006 if the plugin or torch is missing, E1005 for an unknown device.
inline std::shared_ptr<Backend> torch(const TorchOptions& options = {}) {
  const bool preallocates = options.memory_allocation == MemoryAllocation::preallocate;
  Arguments arguments{{"device", options.device},
                      {"dtype", options.dtype},
                      {"memory_efficient", options.memory_efficient},
                      {"requires_grad", options.requires_grad},
                      {"use_amp", options.use_amp},
                      {"jit_compile", options.jit_compile},
                      {"eager_mode", options.eager_mode},
                      {"memory_allocation", preallocates ? "preallocate" : "lazy"},
                      {"release_unused", options.release_unused},
                      {"deterministic", options.deterministic},
                      {"benchmark", options.benchmark}};
  if (options.amp_dtype) arguments.emplace_back("amp_dtype", *options.amp_dtype);
  if (!options.memory_limit.is_none()) {
    arguments.emplace_back("memory_limit", options.memory_limit);
  }
  return load_backend(plugin_path("mithril_torch"), arguments);
}

}  // namespace mithril
