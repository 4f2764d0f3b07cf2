#include "mithril/passes/forward_part.hpp"

#include <algorithm>

namespace mithril {

bool makes_any(const Node& node, const std::vector<bool>& values) {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId id) { return values[index(id)]; });
}

std::vector<bool> forward_part(const Graph& whole, size_t outputs) {
  std::vector<bool> forward(whole.values().size());
  for (size_t i = 0; i < outputs; ++i) forward[index(whole.outputs()[i].value)] = true;
  for (auto node = whole.nodes().rbegin(); node != whole.nodes().rend(); ++node) {
    if (!makes_any(*node, forward)) continue;
    for (const Argument& argument : node->arguments) {
      if (const ValueId* id = tensor_of(argument)) forward[index(*id)] = true;
    }
  }
  return forward;
}

}  // namespace mithril
