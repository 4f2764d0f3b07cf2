// Code of NVRTC on a GPU, by the runtime of CUDA, which needs no context of its own.
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <mutex>
#include <string>

#include "backends/torch/kernel_device.hpp"

#if CUDART_VERSION >= 12080  // since when the runtime loads code

namespace mithril::torch_backend {
namespace {

class CudaKernel final : public LoadedKernel {
 public:
  CudaKernel(c10::DeviceIndex device, cudaKernel_t plain, cudaKernel_t lanes)
      : device_(device), plain_(plain), lanes_(lanes) {}

  void launch(bool lanes, CudaGrid grid, void** arguments) const override {
    const c10::cuda::CUDAGuard guard(device_);
    C10_CUDA_CHECK(cudaLaunchKernel(static_cast<const void*>(lanes ? lanes_ : plain_),
                                    dim3(grid.blocks), dim3(grid.threads), arguments, 0,
                                    c10::cuda::getCurrentCUDAStream(device_)));
  }

 private:
  const c10::DeviceIndex device_;
  const cudaKernel_t plain_, lanes_;
};

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
  // The code stays loaded.
  const LoadedKernel* load(const std::string& cubin) override {
    const c10::cuda::CUDAGuard guard(device_);
    cudaLibrary_t library = nullptr;
    C10_CUDA_CHECK(
        cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    const std::string name = kernel_name;
    cudaKernel_t plain = nullptr, lanes = nullptr;
    C10_CUDA_CHECK(cudaLibraryGetKernel(&plain, library, name.c_str()));
    C10_CUDA_CHECK(cudaLibraryGetKernel(&lanes, library, (name + "_lanes").c_str()));
    return new CudaKernel(device_, plain, lanes);
  }

 private:
  const c10::DeviceIndex device_;
};

}  // namespace
}  // namespace mithril::torch_backend

// It lives as long as the process, as what it has loaded does.
extern "C" __attribute__((visibility("default"))) mithril::torch_backend::CubinLoader*
mithril_cuda_loader(int index) {
  using mithril::torch_backend::CudaLoader;
  static std::mutex mutex;
  static auto* loaders = new std::map<int, CudaLoader*>;
  const std::lock_guard lock(mutex);
  CudaLoader*& loader = (*loaders)[index];
  if (!loader) loader = new CudaLoader(static_cast<c10::DeviceIndex>(index));
  return loader;
}

#endif
