#include "mithril/compile/assemble.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <unordered_map>

#include "mithril/base/names.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/infer/known_shape.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/fixed_carries.hpp"
#include "mithril/passes/mix_precision.hpp"
#include "mithril/passes/settle_mode.hpp"

namespace mithril {
namespace {

// Tells which states change from one evaluation to the next.
class StateChanges {
 public:
  explicit StateChanges(const Graph& graph) : original_(graph.values().size()) {
    const OpDef& buffer = find_op("buffer");
    for (size_t i = 0; i < original_.size(); ++i) original_[i] = ValueId(static_cast<int32_t>(i));
    for (const Node& node : graph.nodes()) {
      if (node.op != &buffer) continue;
      const auto* source = std::get_if<ValueId>(&node.arguments.front());
      if (source) original_[index(node.outputs.front())] = original_[index(*source)];
    }
    for (const Output& output : graph.outputs()) outputs_.emplace(output.name, output.value);
    for (const ValueId id : graph.inputs()) inputs_.emplace(graph.value(id).name, id);
  }

  bool contains(const FlatState& state) const {
    return original_[index(outputs_.at(state.output))] != inputs_.at(state.input);
  }

 private:
  std::vector<ValueId> original_;  // per value: the value that it copies
  std::unordered_map<std::string_view, ValueId> outputs_, inputs_;
};

ModeGraph mode_graph_of(const FlatComposition& composed, Mode mode) {
  std::vector<std::string> states;
  for (const FlatState& state : composed.states) states.push_back(state.input);
  const Graph settled = settle_mode(composed.graph, mode == Mode::inference);
  ModeGraph mode_graph{.graph = without_fixed_carries(settled, states),
                       .inputs = composed.inputs,
                       .read = {},
                       .changed = {},
                       .outputs = composed.outputs};
  std::vector<std::string> unchanged, constants;
  const StateChanges changes(mode_graph.graph), training_changes(composed.graph);
  for (const FlatState& state : composed.states) {
    if (changes.contains(state)) {
      mode_graph.changed.push_back(state);
      continue;
    }
    const auto& seen = composed.outputs;
    if (std::find(seen.begin(), seen.end(), state.output) == seen.end())
      unchanged.push_back(state.output);
    // A state that no mode changes stays an input, whether or not a node reads it.
    if (!training_changes.contains(state)) constants.push_back(state.input);
  }
  if (!unchanged.empty())
    mode_graph.graph = discard_outputs(mode_graph.graph, unchanged, constants);
  drop_missing(mode_graph.inputs, mode_graph.graph);
  for (const FlatState& state : composed.states) {
    const auto is_input = [&](const InputKey& key) { return key.path == state.input; };
    if (std::any_of(mode_graph.inputs.begin(), mode_graph.inputs.end(), is_input))
      mode_graph.read.push_back(state);
  }
  return mode_graph;
}

// Keeps these outputs, with the inputs and states that they need.
void keep_in_mode_graph(ModeGraph& mode_graph, const std::vector<std::string>& outputs) {
  const auto is_changed = [&](const FlatState& state) {
    return std::any_of(mode_graph.changed.begin(), mode_graph.changed.end(),
                       [&](const FlatState& other) { return other.input == state.input; });
  };
  std::vector<StateNames> states;
  for (const FlatState& state : mode_graph.read)
    states.push_back({state.input, is_changed(state) ? state.output : ""});
  KeptOutputs kept = keep_outputs(mode_graph.graph, mode_graph.outputs, outputs, states);
  const auto is_gone = [&](const FlatState& state) {
    for (size_t i = 0; i < states.size(); ++i) {
      if (states[i].input == state.input) return !kept.has_state[i];
    }
    return false;
  };
  std::erase_if(mode_graph.changed, is_gone);
  std::erase_if(mode_graph.read, is_gone);
  mode_graph.graph = std::move(kept.graph);
  mode_graph.outputs = outputs;
  drop_missing(mode_graph.inputs, mode_graph.graph);
}

std::vector<std::string> without_names(std::vector<std::string> names,
                                       const std::vector<std::string>& gone) {
  std::erase_if(names, [&](const std::string& name) {
    return std::find(gone.begin(), gone.end(), name) != gone.end();
  });
  return names;
}

// Inserts casts before ops are expanded.
Graph in_mixed_precision(const Graph& graph, DType lower, const CompiledState& compiled) {
  MixPrecisionOptions mix{.lower = lower};
  for (const InputKey& input : compiled.inputs) {
    mix.parameters.push_back(input.key_class == KeyClass::parameter);
  }
  PipelineOptions options = compiled.passes;
  options.passes = {{"mix_precision", [mix](const Graph& g) { return mix_precision(g, mix); }}};
  return run_passes(graph, options);
}

// ShapeError E0209 for a size that is not known.
Dims dims_of_state(const Value& input) {
  Dims dims;
  for (const Dim& dim : input.dims) {
    const Dim now = resolve(dim);
    if (now.is_constant()) dims.push_back(now.constant());
  }
  if (dims.size() == input.dims.size()) return dims;
  raise({.kind = ErrorKind::shape,
         .code = "E0209",
         .path = input.name,
         .message = "the shape of the state '" + input.name + "' is not known",
         .facts = {{"known", to_string(input.dims)}},
         .help = "give its model the size, or shapes to compile"});
}

// Random keys are hashes of the path, so that short names do not change the random numbers. Those
// of several indices have 52 bits, because JavaScript holds the elements of a tensor as doubles.
Tensor first_keys(const Value& input, std::int64_t seed) {
  if (input.dims.empty()) return Tensor::scalar(first_random_key(seed, input.name));
  Tensor keys(DType::int64, dims_of_state(input));
  std::int64_t i = 0;
  for (std::int64_t& key : keys.mutable_values<std::int64_t>())
    key = first_random_key(seed, input.name + "." + std::to_string(i++)) >> 11;
  return keys;
}

// The initial tensor of a state, in the dtype of the input. A tensor with fewer axes is repeated,
// and a number fills the shape, unless the rank is unknown.
Tensor initial_state(const Value& input, const InitialState& state) {
  if (const auto* key = std::get_if<RandomKey>(&state)) return first_keys(input, key->seed);
  const Tensor& initial = std::get<Tensor>(state);
  if (!input.ranked || std::ssize(input.dims) == initial.rank())
    return initial.to(input.dtype);  // a copy: the tensor is the user's
  if (initial.rank() == 0) return Tensor::full(input.dtype, dims_of_state(input), initial.item());
  const Tensor one = initial.to(input.dtype);
  Tensor all(input.dtype, dims_of_state(input));
  auto* elements = static_cast<std::byte*>(all.mutable_raw_data());
  for (size_t at = 0; at < all.bytes(); at += one.bytes())
    std::memcpy(elements + at, one.raw_data(), one.bytes());
  return all;
}

// Sorts the keys by class, with their indices among the inputs and outputs of the graph.
void place(CompiledState& compiled, const FlatComposition& composed, const ModeGraph& mode_graph) {
  std::unordered_map<std::string, size_t> input_at, output_at;
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    const InputKey& input = compiled.inputs[i];
    input_at.emplace(input.path, i);
    if (input.key_class == KeyClass::parameter) compiled.parameters.push_back({input.key, i});
    if (input.key_class == KeyClass::data) compiled.data.push_back({input.key, i});
  }
  for (const auto* keys : {&composed.inputs, &composed.spare}) {
    for (const InputKey& input : *keys) {
      if (input_at.contains(input.path)) continue;
      if (input.key_class == KeyClass::parameter) compiled.spare_parameters.push_back(input.key);
      if (input.key_class == KeyClass::data) compiled.spare_data.push_back(input.key);
    }
  }
  const auto& graph_outputs = compiled.graph.outputs();
  for (size_t i = 0; i < graph_outputs.size(); ++i) output_at.emplace(graph_outputs[i].name, i);
  for (const std::string& name : mode_graph.outputs)
    compiled.outputs.push_back({name, output_at.at(name)});
  const StateChanges training_changes(composed.graph);
  for (const FlatState& state : mode_graph.read) {
    const size_t at = input_at.at(state.input);
    const std::string& key = compiled.inputs[at].key;
    compiled.states.push_back({key, at});
    const Value& input = compiled.graph.value(compiled.graph.inputs()[at]);
    // Read-only, because an output may be the state itself.
    compiled.initial[key] =
        compiled.backend->adopt(initial_state(input, state.initial), false).as_read_only();
    if (training_changes.contains(state)) compiled.required_states.push_back(key);
  }
  for (const FlatState& state : mode_graph.changed) {
    compiled.next_states.push_back(
        {compiled.inputs[input_at.at(state.input)].key, output_at.at(state.output)});
  }
}

void describe_shapes(CompiledState& compiled) {
  const Graph& graph = compiled.graph;
  UnknownNumbers unknowns;
  const auto add = [&](const std::string& key, const Value& value) {
    if (value.ranked) compiled.shapes.emplace_back(key, to_known(value.dims, unknowns));
  };
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    if (compiled.inputs[i].key_class == KeyClass::state) continue;
    add(compiled.inputs[i].key, graph.value(graph.inputs()[i]));
  }
  for (const NamedIndex& output : compiled.outputs) {
    const Value& value = graph.value(graph.outputs()[output.index].value);
    add(output.name, value);
    compiled.output_texts.push_back(value.ranked ? to_string(value.dims) : "[...]");
  }
}

}  // namespace

ModeGraph settle(const FlatComposition& composed, Mode mode,
                 const std::vector<std::string>* outputs) {
  ModeGraph mode_graph = mode_graph_of(composed, mode);
  if (outputs) {
    keep_in_mode_graph(mode_graph, *outputs);
  } else if (mode == Mode::inference && !composed.objectives.empty()) {
    keep_in_mode_graph(mode_graph, without_names(composed.outputs, composed.objectives));
  }
  return mode_graph;
}

void assemble(CompiledState& compiled, const FlatComposition& composed,
              const std::vector<std::string>* outputs) {
  ModeGraph mode_graph = settle(composed, compiled.mode, outputs);
  compiled.inputs = std::move(mode_graph.inputs);
  compiled.source = std::move(mode_graph.graph);
  if (const auto lower = compiled.backend->graph_options().mixed_precision)
    compiled.source = in_mixed_precision(compiled.source, *lower, compiled);
  compiled.graph = compiled.passed(compiled.source);
  compiled.backend->check_ops(compiled.graph);
  place(compiled, composed, mode_graph);
  describe_shapes(compiled);
}

}  // namespace mithril
