// The loaded torch: its devices, and its switches, which apply to all threads.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "mithril/backend/memory.hpp"

namespace mithril::torch_backend {

// "cpu", "cuda:0", "mps". Starts CUDA where there is a GPU.
std::vector<std::string> devices();
// The total and the free memory of a device other than the CPU, where torch tells it.
HostMemory device_memory(c10::Device device);
// "cuda:1"; "cuda" if there is none. After `devices`.
std::string current_gpu();

// The settings of torch that are switched during runs.
enum class Switches {
  as_they_are,
  deterministic,  // only deterministic kernels; torch refuses other ops
  benchmark       // cuDNN tries its kernels and uses the fastest
};

// Sets the switches, and restores them after the last of the overlapping runs. Torch has one set of
// switches for all threads: while one run is deterministic, all runs are.
class SwitchScope {
 public:
  explicit SwitchScope(Switches wanted);
  ~SwitchScope();
  SwitchScope(const SwitchScope&) = delete;
  SwitchScope& operator=(const SwitchScope&) = delete;

 private:
  const Switches wanted_;
};

}  // namespace mithril::torch_backend
