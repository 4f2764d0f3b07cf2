#include "mithril/compile/discard.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

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

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The graph with these outputs. `after`: what they depend on.
template <typename Stays>
Graph cut(const Graph& graph, const std::vector<Output>& kept, const std::vector<bool>& after,
          const Stays& stays) {
  std::vector<ValueId> now(graph.values().size());
  Graph result;
  result.share_facts(graph);
  result.set_default_dtype(graph.default_dtype());
  for (const ValueId id : graph.inputs()) {
    if (stays(id)) now[index(id)] = result.add_input(graph.value(id));
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

std::vector<Output> outputs_named(const Graph& graph, const std::vector<std::string>& names) {
  std::vector<Output> found;
  for (const Output& output : graph.outputs()) {
    if (is_among(names, output.name)) found.push_back(output);
  }
  return found;
}

// The states that remain with some of the outputs, and the values that both depend on.
class Remaining {
 public:
  Remaining(const Graph& graph, const std::vector<Output>& all, const std::vector<Output>& kept)
      : before_(reached(graph, all)), after_(reached(graph, kept)) {
    maker_.resize(graph.values().size(), nullptr);
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) maker_[index(id)] = &node;
    }
    is_input_.resize(graph.values().size());
    for (const ValueId id : graph.inputs()) {
      is_input_[index(id)] = true;
      inputs_[graph.value(id).name] = id;
    }
    for (const Output& output : graph.outputs()) outputs_[output.name] = output.value;
  }

  // The next value of one state may read another state.
  std::vector<bool> add(const std::vector<StateNames>& states) {
    std::vector<bool> has(states.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < states.size(); ++i) {
        if (has[i] || !remains(states[i])) continue;
        has[i] = changed = true;
      }
    }
    return has;
  }

  const std::vector<bool>& after() const { return after_; }
  bool is_lost(ValueId input) const { return before_[index(input)] && !after_[index(input)]; }

 private:
  // Marks everything that its next value depends on.
  bool remains(const StateNames& state) {
    const ValueId input = inputs_.at(state.input);
    if (state.output.empty()) return !is_lost(input);
    std::vector<ValueId> open{outputs_.at(state.output)}, found;
    std::vector<bool> seen = after_;
    bool lost = false;
    while (!open.empty()) {
      const ValueId id = open.back();
      open.pop_back();
      if (seen[index(id)]) continue;
      seen[index(id)] = true;
      const Node* node = maker_[index(id)];
      lost = lost || (is_input_[index(id)] && before_[index(id)]);
      if (!node) continue;
      for (const ValueId output : node->outputs) seen[index(output)] = true;
      for (const Argument& argument : node->arguments) {
        if (const ValueId* read = tensor_of(argument)) open.push_back(*read);
      }
    }
    if (lost && !after_[index(input)]) return false;
    if (before_[index(input)] && !seen[index(input)]) return false;
    after_ = std::move(seen);
    return true;
  }

  std::vector<bool> before_, after_;  // per value: whether an output depends on it
  std::vector<bool> is_input_;
  std::vector<const Node*> maker_;  // null: an input or a constant
  std::unordered_map<std::string_view, ValueId> inputs_, outputs_;
};

}  // namespace

Graph discard_outputs(const Graph& graph, const std::vector<std::string>& names,
                      const std::vector<std::string>& inputs_to_keep) {
  std::vector<Output> kept;
  for (const Output& output : graph.outputs()) {
    if (!is_among(names, output.name)) kept.push_back(output);
  }
  const std::vector<bool> before = reached(graph, graph.outputs()), after = reached(graph, kept);
  return cut(graph, kept, after, [&](ValueId id) {
    const bool only_discarded = before[index(id)] && !after[index(id)];
    return !only_discarded || is_among(inputs_to_keep, graph.value(id).name);
  });
}

KeptOutputs keep_outputs(const Graph& graph, const std::vector<std::string>& all,
                         const std::vector<std::string>& kept,
                         const std::vector<StateNames>& states) {
  Remaining remaining(graph, outputs_named(graph, all), outputs_named(graph, kept));
  std::vector<bool> has = remaining.add(states);
  std::vector<std::string> names = kept;
  std::vector<std::string> gone;
  for (size_t i = 0; i < states.size(); ++i) {
    if (!has[i]) gone.push_back(states[i].input);
    if (has[i] && !states[i].output.empty()) names.push_back(states[i].output);
  }
  Graph result = cut(graph, outputs_named(graph, names), remaining.after(), [&](ValueId id) {
    return !remaining.is_lost(id) && !is_among(gone, graph.value(id).name);
  });
  return {std::move(result), std::move(has)};
}

std::vector<bool> needed_inputs(const Graph& graph, const std::vector<Output>& outputs) {
  const std::vector<bool> read = reached(graph, outputs);
  std::vector<bool> needed;
  for (const ValueId id : graph.inputs()) needed.push_back(read[index(id)]);
  return needed;
}

std::vector<bool> needed_inputs(const Graph& graph, const std::vector<std::string>& outputs) {
  return needed_inputs(graph, outputs_named(graph, outputs));
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
