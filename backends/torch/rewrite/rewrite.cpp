#include "backends/torch/rewrite/rewrite.hpp"

#include <c10/core/Device.h>

#include "backends/torch/device/cuda_library.hpp"
#include "backends/torch/program/operators.hpp"
#include "backends/torch/rewrite/attention_gradient.hpp"
#include "backends/torch/rewrite/cuda_epilogues.hpp"
#include "backends/torch/rewrite/onednn.hpp"

namespace mithril::torch_backend {
namespace {

// TorchScript uses ops that any torch has, and its files contain plain weights. Eager mode runs the
// ops as composed.
bool wants_onednn(const Settings& settings, bool scripted) {
  static const bool built = has_operator("mkldnn::_linear_pointwise");
  return built && !scripted && !settings.eager_mode && c10::Device(settings.device).is_cpu();
}

AttentionKernels attention_kernels(c10::Device device) {
  if (device.is_cpu()) return attention_on_cpu;
  return gpu_generation(device) >= 8 ? attention_on_new_gpu : attention_on_gpu;
}

}  // namespace

Graph rewritten(Graph graph, const Settings& settings, bool scripted, const Observer* observer) {
  const c10::Device device(settings.device);
  const bool known = device.is_cpu() || device.is_cuda();
  if (known && !scripted && !settings.eager_mode) {
    graph = use_attention_gradient(graph, attention_kernels(device), observer);
    if (device.is_cuda()) graph = use_cuda_epilogues(graph, observer);
  }
  return wants_onednn(settings, scripted) ? use_onednn(graph, observer) : graph;
}

}  // namespace mithril::torch_backend
