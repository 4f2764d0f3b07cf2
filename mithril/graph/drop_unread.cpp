// Removes everything on which no output depends.
#include <algorithm>

#include "mithril/graph/graph.hpp"

namespace mithril {
namespace {

// The nodes on which outputs depend, and the values that these nodes or outputs read.
struct Uses {
  std::vector<char> values, nodes;

  explicit Uses(const Graph& graph) : values(graph.values().size()), nodes(graph.nodes().size()) {
    for (const Output& output : graph.outputs()) values[index(output.value)] = 1;
    for (size_t i = nodes.size(); i-- > 0;) {
      const Node& node = graph.nodes()[i];
      const auto is_read = [&](ValueId id) { return values[index(id)] != 0; };
      nodes[i] = std::any_of(node.outputs.begin(), node.outputs.end(), is_read);
      if (!nodes[i]) continue;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) values[index(*id)] = 1;
      }
      for (const ValueId id : node.outputs) values[index(id)] = 1;
    }
    for (const ValueId id : graph.inputs()) values[index(id)] = 1;
  }
};

// Keeps items[i] if kept(i), in order.
template <class T, class F>
void keep_if(std::vector<T>& items, F kept) {
  size_t count = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!kept(i)) continue;
    if (i != count) items[count] = std::move(items[i]);
    ++count;
  }
  items.resize(count);
}

}  // namespace

void Graph::drop_unread() {
  const Uses uses(*this);
  const auto used = [](char use) { return use != 0; };
  if (std::all_of(uses.values.begin(), uses.values.end(), used)) return;
  std::vector<ValueId> now(values_.size());
  int32_t count = 0;
  for (size_t i = 0; i < values_.size(); ++i) {
    now[i] = static_cast<ValueId>(count);
    count += uses.values[i];
  }
  keep_if(constants_, [&](size_t i) { return used(uses.values[index(constants_[i].value)]); });
  keep_if(nodes_, [&](size_t i) { return used(uses.nodes[i]); });
  keep_if(values_, [&](size_t i) { return used(uses.values[i]); });
  for (Constant& constant : constants_) constant.value = now[index(constant.value)];
  for (ValueId& id : inputs_) id = now[index(id)];
  for (Output& output : outputs_) output.value = now[index(output.value)];
  for (Node& node : nodes_) {
    for (ValueId& id : node.outputs) id = now[index(id)];
    for (Argument& argument : node.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) *id = now[index(*id)];
    }
  }
}

}  // namespace mithril
