#include "backends/cpu/descriptors/use_counts.hpp"

namespace mithril::cpu_backend {

std::vector<int> count_uses(const ShapedGraph& shaped, const std::vector<bool>& observed) {
  const Graph& graph = shaped.graph();
  std::vector<int> use_counts(graph.values().size());
  for (const Output& output : graph.outputs()) ++use_counts[index(output.value)];
  for (size_t node = 0; node < shaped.node_count(); ++node) {
    for (const int32_t at : shaped.planned(node).tensors) {
      if (at >= 0) ++use_counts[static_cast<size_t>(at)];
    }
    if (observed.empty() || !observed[node]) continue;
    for (const ValueId id : shaped.node(node).outputs) ++use_counts[index(id)];
  }
  return use_counts;
}

}  // namespace mithril::cpu_backend
