// The names of GPUs that all processes of a machine share.
#pragma once

#include <string>
#include <vector>

#include "mithril/distributed/gpus.hpp"

namespace mithril::torch_backend {

// The functions of libcuda.so, which returns 0 where they succeed. A null pointer: it has none.
struct CudaDriver {
  int (*init)(unsigned flags) = nullptr;
  int (*count)(int* gpus) = nullptr;
  int (*device)(int* device, int index) = nullptr;
  int (*uuid)(unsigned char* sixteen_bytes, int device) = nullptr;
};

// The UUIDs of the GPUs that this process sees, by index, as nvidia-smi prints them: "GPU-6a4e...".
// Empty if the driver does not say them, as that of ROCm.
std::vector<std::string> gpu_names(const CudaDriver& driver);

// The GPU with this index.
Gpu gpu_at(int index);

}  // namespace mithril::torch_backend
