#include "backends/torch/rewrite.hpp"

#include <c10/core/Device.h>

#include "backends/torch/onednn.hpp"
#include "backends/torch/operators.hpp"

namespace mithril::torch_backend {
namespace {

// TorchScript uses ops that any torch has, and its files contain plain weights. Eager mode runs the
// ops as composed.
bool wants_onednn(const Settings& settings, bool scripted) {
  static const bool built = has_operator("mkldnn::_linear_pointwise");
  return built && !scripted && !settings.eager_mode && c10::Device(settings.device).is_cpu();
}

}  // namespace

Graph rewritten(Graph graph, const Settings& settings, bool scripted, const Observer* observer) {
  return wants_onednn(settings, scripted) ? use_onednn(graph, observer) : graph;
}

}  // namespace mithril::torch_backend
