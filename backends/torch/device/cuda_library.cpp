#include "backends/torch/device/cuda_library.hpp"

#include <dlfcn.h>

#include "mithril/backend/plugin.hpp"

namespace mithril::torch_backend {
namespace {

template <typename Function>
Function symbol(const char* name) {
  static void* const library =
      dlopen(plugin_path("mithril_torch_cuda").c_str(), RTLD_LAZY | RTLD_LOCAL);
  return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

}  // namespace

// Opens the library, which registers itself and stays open. A torch without it has no GPUs.
void load_torch_cuda() {
  static void* const library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_LOCAL);
  static_cast<void>(library);
}

RecordingDevice* recording_device(c10::Device device) {
  static const auto find = symbol<RecordingDevice* (*)(int)>("mithril_cuda_device");
  return find ? find(device.index()) : nullptr;
}

CubinLoader* cubin_loader(c10::Device device) {
  static const auto find = symbol<CubinLoader* (*)(int)>("mithril_cuda_loader");
  return find ? find(device.index()) : nullptr;
}

int gpu_generation(c10::Device device) {
  static const auto generation = symbol<int (*)(int)>("mithril_cuda_generation");
  return generation ? generation(device.index()) : 0;
}

void allocate_workspaces(c10::Device device) {
  static const auto prepare = symbol<void (*)(int)>("mithril_cuda_prepare");
  if (prepare) prepare(device.index());
}

}  // namespace mithril::torch_backend
