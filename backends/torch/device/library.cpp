// State that torch has for the whole process: devices and switches.
#include "backends/torch/device/library.hpp"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

#include "backends/torch/device/cuda_library.hpp"

namespace mithril::torch_backend {

std::vector<std::string> devices() {
  load_torch_cuda();
  std::vector<std::string> names{"cpu"};
  const int count = at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  for (int i = 0; i < count; ++i) names.push_back("cuda:" + std::to_string(i));
  if (at::hasMPS()) names.emplace_back("mps");
  return names;
}

HostMemory device_memory(c10::Device device) {
  if (!device.is_cuda()) return {};
  at::globalContext().lazyInitDevice(device.type());
  const auto [free, total] = c10::getDeviceAllocator(device.type())->getMemoryInfo(device.index());
  return {static_cast<int64_t>(total), static_cast<int64_t>(free)};
}

std::string current_gpu() {
  const c10::DeviceIndex current =
      at::hasCUDA() ? at::detail::getCUDAHooks().getCurrentDevice() : c10::DeviceIndex{-1};
  return current < 0 ? "cuda" : "cuda:" + std::to_string(current);
}

namespace {

struct SwitchValues {
  bool deterministic, only_warned, filled, cudnn_deterministic, mkldnn_deterministic, benchmark;
};

SwitchValues read_switches() {
  const at::Context& torch = at::globalContext();
  return {torch.deterministicAlgorithms(),
          torch.deterministicAlgorithmsWarnOnly(),
          torch.deterministicFillUninitializedMemory(),
          torch.deterministicCuDNN(),
          torch.deterministicMkldnn(),
          torch.benchmarkCuDNN()};
}

void write_switches(const SwitchValues& values) {
  at::Context& torch = at::globalContext();
  torch.setDeterministicAlgorithms(values.deterministic, values.only_warned);
  torch.setDeterministicFillUninitializedMemory(values.filled);
  torch.setDeterministicCuDNN(values.cudnn_deterministic);
  torch.setDeterministicMkldnn(values.mkldnn_deterministic);
  torch.setBenchmarkCuDNN(values.benchmark);
}

// The runs of all threads that set switches, and the previous values.
struct SwitchedRuns {
  std::mutex mutex;
  int deterministic = 0, benchmark = 0;
  SwitchValues before = {};

  void change(Switches wanted, int by) {
    const std::lock_guard lock(mutex);
    if (deterministic + benchmark == 0) before = read_switches();
    (wanted == Switches::deterministic ? deterministic : benchmark) += by;
    SwitchValues values = before;
    if (deterministic > 0) {
      // Filling each new tensor with NaN would cost time, and every op writes its tensors before it
      // reads them.
      values = {true, false, false, true, true, false};
    } else if (benchmark > 0) {
      values.benchmark = true;
    }
    write_switches(values);
  }
};

SwitchedRuns& switched_runs() {
  static SwitchedRuns runs;
  return runs;
}

}  // namespace

SwitchScope::SwitchScope(Switches wanted) : wanted_(wanted) {
  if (wanted_ != Switches::as_they_are) switched_runs().change(wanted_, 1);
}

SwitchScope::~SwitchScope() {
  if (wanted_ != Switches::as_they_are) switched_runs().change(wanted_, -1);
}

}  // namespace mithril::torch_backend
