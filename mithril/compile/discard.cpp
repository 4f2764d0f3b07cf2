#include "mithril/compile/discard.hpp"

#include <algorithm>

namespace mithril {
namespace {

// Per value: whether the outputs depend on it.
std::vector<bool> reached(const Graph& graph, const std::vector<Output>& outputs) {
  std::vector<bool> read(graph.values().size());
  for (const Output& output : outputs) read[index(output.value)] = true;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    const bool needed = std::any_of(node->outputs.begin(), node->outputs.end(),
                                    [&](ValueId id) { return read[index(id)]; });
    if (!needed) continue;
    for (const ValueId id : node->outputs) read[index(id)] = true;
    for (const Argument& argument : node->arguments) {
      if (const ValueId* id = tensor_of(argument)) read[index(*id)] = true;
    }
  }
  return read;
}

}  // namespace

Graph discard_outputs(const Graph& graph, const std::vector<std::string>& names,
                      const std::vector<std::string>& inputs_to_keep) {
  std::vector<Output> kept;
  for (const Output& output : graph.outputs()) {
    if (std::find(names.begin(), names.end(), output.name) == names.end()) kept.push_back(output);
  }
  const std::vector<bool> before = reached(graph, graph.outputs()), after = reached(graph, kept);
  std::vector<ValueId> now(graph.values().size());
  Graph result;
  result.share_facts(graph);
  result.set_default_dtype(graph.default_dtype());
  for (const ValueId id : graph.inputs()) {
    const bool only_discarded = before[index(id)] && !after[index(id)];
    const bool stays = std::find(inputs_to_keep.begin(), inputs_to_keep.end(),
                                 graph.value(id).name) != inputs_to_keep.end();
    if (!only_discarded || stays) now[index(id)] = result.add_input(graph.value(id));
  }
  for (const Constant& constant : graph.constants()) {
    if (!after[index(constant.value)]) continue;
    now[index(constant.value)] =
        result.add_constant(graph.value(constant.value).name, constant.tensor);
  }
  for (Node node : graph.nodes()) {
    if (!after[index(node.outputs.front())]) continue;
    for (Argument& argument : node.arguments) {
      if (ValueId* id = std::get_if<ValueId>(&argument)) *id = now[index(*id)];
    }
    for (ValueId& id : node.outputs) {
      now[index(id)] = result.add_value(graph.value(id));
      id = now[index(id)];
    }
    result.add_node(std::move(node));
  }
  for (const Output& output : kept) result.add_output(output.name, now[index(output.value)]);
  return result;
}

std::vector<bool> inputs_read(const Graph& graph) {
  const std::vector<bool> all = reached(graph, graph.outputs());
  std::vector<bool> read;
  for (const ValueId id : graph.inputs()) read.push_back(all[index(id)]);
  return read;
}

void drop_missing(std::vector<InputKey>& keys, const Graph& graph) {
  const auto& inputs = graph.inputs();
  size_t kept = 0;
  std::erase_if(keys, [&](const InputKey& key) {
    const bool stays = kept < inputs.size() && graph.value(inputs[kept]).name == key.path;
    kept += stays;
    return !stays;
  });
}

}  // namespace mithril
