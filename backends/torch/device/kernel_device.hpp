// The interface of devices for kernels of CUDA C++: implemented with CUDA in cuda/, and by tests
// without a GPU.
#pragma once

#include <string>

#include "codegen/cuda/layout.hpp"

namespace mithril::torch_backend {

// The name of every kernel (codegen/cuda/kernel.hpp), so that equal formulas are equal texts.
inline constexpr const char* kernel_name = "fused";

// A kernel that is loaded until the process ends, because a stream or a CUDA graph may use it.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  // Launches on the current stream and does not wait. `arguments`: pointers to the parameters.
  // `lanes`: whether to run the variant that accesses several elements at a time.
  virtual void launch(bool lanes, CudaGrid grid, void** arguments) const = 0;
};

class KernelDevice {
 public:
  virtual ~KernelDevice() = default;
  virtual int multiprocessors() const = 0;
  // The kernel of the text, compiled where it is not cached. Null if that fails; `why` then has
  // the reason.
  virtual const LoadedKernel* find(const std::string& text, std::string& why) = 0;
};

inline constexpr int newest_cuda = 13;  // its major version

// Code that NVRTC has compiled, on one GPU. Implemented in libmithril_torch_cuda.so.
class CubinLoader {
 public:
  virtual ~CubinLoader() = default;
  virtual std::string architecture() const = 0;  // "sm_90"
  virtual int multiprocessors() const = 0;
  // The major version of the CUDA runtime. NVRTC must have the same.
  virtual int runtime_major() const = 0;
  // Throws c10::Error.
  virtual const LoadedKernel* load(const std::string& cubin) = 0;
};

}  // namespace mithril::torch_backend
