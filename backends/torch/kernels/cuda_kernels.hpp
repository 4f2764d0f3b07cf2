// Kernels that NVRTC compiles for a GPU.
#pragma once

#include <c10/core/Device.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "backends/torch/device/kernel_device.hpp"
#include "mithril/base/cache_files.hpp"

namespace mithril::torch_backend {

// Compiles each text once in a process, and once in all processes that share the cache.
// A text that failed is not tried again, unless memory was lacking. Any number of threads may use
// it.
class CudaKernels final : public KernelDevice {
 public:
  CudaKernels(CubinLoader& loader, CacheFiles files) : loader_(loader), files_(std::move(files)) {}

  int multiprocessors() const override { return loader_.multiprocessors(); }
  const LoadedKernel* find(const std::string& text, std::string& why) override;

 private:
  struct Known {
    const LoadedKernel* kernel = nullptr;
    std::string why = {};
    bool final = true;  // false: worth another try
  };
  Known make(const std::string& text) const;

  CubinLoader& loader_;
  const CacheFiles files_;
  std::mutex mutex_;  // guards known_
  std::unordered_map<std::string, Known> known_;
};

// Null if there is no cubin_loader (cuda_library.hpp).
KernelDevice* kernel_device(c10::Device device);

}  // namespace mithril::torch_backend
