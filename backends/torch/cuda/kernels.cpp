// Loads and launches code that NVRTC compiled. It uses the CUDA runtime, which shares torch's
// context.
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>
#include <string>

#include "backends/torch/device/kernel_device.hpp"

#if CUDART_VERSION >= 12080  // since when the runtime loads code

namespace mithril::torch_backend {
namespace {

class LoadedCudaKernel final : public LoadedKernel {
 public:
  LoadedCudaKernel(c10::DeviceIndex device, cudaKernel_t plain, cudaKernel_t lanes)
      : device_(device), plain_(plain), lanes_(lanes) {}

  void launch(bool lanes, CudaGrid grid, void** arguments) const override {
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaLaunchKernel(static_cast<const void*>(lanes ? lanes_ : plain_),
                                    dim3(grid.blocks), dim3(grid.threads, grid.rows), arguments, 0,
                                    c10::cuda::getCurrentCUDAStream(device_)));
  }

 private:
  const c10::DeviceIndex device_;
  const cudaKernel_t plain_, lanes_;
};

void check_loading(cudaError_t status) {
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // or torch's next check finds it
    TORCH_CHECK_WITH(OutOfMemoryError, false, "no memory for the code of a kernel");
  }
  C10_CUDA_CHECK(status);
}

// The code moves to the device when a kernel is first asked for its attributes or launched. The
// first launch may be part of a capture, which must not allocate.
cudaKernel_t kernel_of_library(cudaLibrary_t library, const std::string& name) {
  cudaKernel_t kernel = nullptr;
  check_loading(cudaLibraryGetKernel(&kernel, library, name.c_str()));
  cudaFuncAttributes about{};
  check_loading(cudaFuncGetAttributes(&about, static_cast<const void*>(kernel)));
  return kernel;
}

class CudaLoader final : public CubinLoader {
 public:
  explicit CudaLoader(c10::DeviceIndex device) : device_(device) {}

  std::string architecture() const override {
    const cudaDeviceProp& about = *at::cuda::getDeviceProperties(device_);
    return "sm_" + std::to_string(about.major) + std::to_string(about.minor);
  }
  int multiprocessors() const override {
    return at::cuda::getDeviceProperties(device_)->multiProcessorCount;
  }
  int runtime_major() const override { return CUDART_VERSION / 1000; }
  // The code stays loaded.
  const LoadedKernel* load(const std::string& cubin) override {
    const c10::cuda::CUDAGuard guard(device_);
    cudaLibrary_t library = nullptr;
    check_loading(
        cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    try {
      const std::string name = kernel_name;
      const cudaKernel_t plain = kernel_of_library(library, name);
      const cudaKernel_t lanes = kernel_of_library(library, name + "_lanes");
      return new LoadedCudaKernel(device_, plain, lanes);
    } catch (...) {
      static_cast<void>(cudaLibraryUnload(library));
      throw;
    }
  }

 private:
  const c10::DeviceIndex device_;
};

// The runtime that torch brings may differ from the headers that this was compiled with.
bool runtime_loads_code() {
  int version = 0;
  return cudaRuntimeGetVersion(&version) == cudaSuccess && version >= 12080 &&
         version / 1000 == CUDART_VERSION / 1000;
}

}  // namespace
}  // namespace mithril::torch_backend

// The loader and its kernels are never destroyed. Null: the CUDA runtime is older than 12.8, or its
// major version differs from that of the headers.
extern "C" __attribute__((visibility("default"))) mithril::torch_backend::CubinLoader*
mithril_cuda_loader(int index) {
  using mithril::torch_backend::CudaLoader;
  static std::mutex mutex;
  static auto* loaders = new std::map<int, CudaLoader*>;
  if (!mithril::torch_backend::runtime_loads_code()) return nullptr;
  const std::lock_guard lock(mutex);
  CudaLoader*& loader = (*loaders)[index];
  if (!loader) loader = new CudaLoader(static_cast<c10::DeviceIndex>(index));
  return loader;
}

#endif
