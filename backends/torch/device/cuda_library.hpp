// libmithril_torch_cuda.so, which needs a torch with GPU support, and libtorch_cuda.so itself.
#pragma once

#include <c10/core/Device.h>

#include "backends/torch/device/kernel_device.hpp"
#include "backends/torch/device/recording_device.hpp"

namespace mithril::torch_backend {

// Loads torch's code for GPUs, which Python has loaded, and C++ programs may not have. Must be
// called before torch is first asked for its devices: torch remembers that there are none.
void load_torch_cuda();

// The device of recordings; null if the library was not built, as without the headers of CUDA.
RecordingDevice* recording_device(c10::Device device);

// The loader of compiled kernels; null if the library was not built, for a CUDA before 12.8, or if
// CUDA has another major version than when the library was built.
CubinLoader* cubin_loader(c10::Device device);

// The major number of its compute capability; 0 if the library was not built.
int gpu_generation(c10::Device device);

// Allocates the workspaces that libraries keep for this thread and its current stream, so that
// they do not count as memory of a run.
void allocate_workspaces(c10::Device device);

}  // namespace mithril::torch_backend
