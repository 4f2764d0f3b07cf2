#include "backends/torch/kernels/cuda_kernels.hpp"

#include <c10/util/Exception.h>

#include <map>
#include <memory>

#include "backends/torch/device/cuda_library.hpp"
#include "backends/torch/kernels/nvrtc.hpp"

namespace mithril::torch_backend {

// Other threads wait: they often need the same kernels.
const LoadedKernel* CudaKernels::find(const std::string& text, std::string& why) {
  const std::lock_guard lock(mutex_);
  auto at = known_.find(text);
  if (at == known_.end()) {
    Known made = make(text);
    if (!made.final) {
      why = std::move(made.why);
      return nullptr;
    }
    at = known_.emplace(text, std::move(made)).first;
  }
  if (!at->second.kernel) why = at->second.why;
  return at->second.kernel;
}

CudaKernels::Known CudaKernels::make(const std::string& text) const {
  Known made;
  const Nvrtc* nvrtc = Nvrtc::find(made.why, loader_.runtime_major());
  if (!nvrtc) return made;
  try {
    Cubin cubin = cubin_of(*nvrtc, text, loader_.architecture(), files_);
    made.why = std::move(cubin.why);
    if (cubin.code.empty()) return made;
    made.kernel = loader_.load(cubin.code);
  } catch (const c10::Error& error) {
    const std::string said = error.what_without_backtrace();
    made.final = !dynamic_cast<const c10::OutOfMemoryError*>(&error);
    made.why = "the driver refused a kernel: " + said.substr(0, said.find('\n'));
  }
  return made;
}

KernelDevice* kernel_device(c10::Device device) {
  static std::mutex mutex;
  static auto* devices = new std::map<int, std::unique_ptr<CudaKernels>>;  // never destroyed
  CubinLoader* loader = cubin_loader(device);
  if (!loader) return nullptr;
  const std::lock_guard lock(mutex);
  auto& kernels = (*devices)[device.index()];
  if (!kernels)
    kernels = std::make_unique<CudaKernels>(*loader, CacheFiles(CacheFiles::usual_folder()));
  return kernels.get();
}

}  // namespace mithril::torch_backend
