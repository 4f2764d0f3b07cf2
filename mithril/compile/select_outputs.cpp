#include "mithril/compile/select_outputs.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/compile/shift.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::string* next_output_of(const CompiledState& compiled, const std::string& state) {
  for (const NamedIndex& next : compiled.next_states) {
    if (next.name == state) return &compiled.source.outputs()[next.index].name;
  }
  return nullptr;
}

// Takes out inputs, with their keys.
void remove_inputs(CompiledState& compiled, const std::vector<size_t>& gone) {
  const Shift shift(gone);
  for (const size_t at : gone) {
    const InputKey& input = compiled.inputs[at];
    if (input.key_class == KeyClass::parameter) compiled.spare_parameters.push_back(input.key);
    if (input.key_class == KeyClass::data) compiled.spare_data.push_back(input.key);
    std::erase_if(compiled.shapes, [&](const auto& shape) { return shape.first == input.key; });
    std::erase(compiled.required_states, input.key);
    compiled.initial.erase(input.key);
  }
  for (auto* keys : {&compiled.parameters, &compiled.data, &compiled.states}) {
    std::erase_if(*keys, [&](const NamedIndex& key) { return shift.is_gone(key.index); });
    shift.apply(*keys);
  }
  shift.apply(compiled.inputs);
}

// Keeps the outputs that the graph has, with their new indices.
void place_outputs(CompiledState& compiled, const Graph& before) {
  const auto index_now = [&](const NamedIndex& key) -> std::optional<size_t> {
    const auto& outputs = compiled.source.outputs();
    const std::string& name = before.outputs()[key.index].name;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name == name) return i;
    }
    return std::nullopt;
  };
  for (auto* keys : {&compiled.outputs, &compiled.next_states}) {
    std::vector<NamedIndex> left;
    for (const NamedIndex& key : *keys) {
      if (const auto at = index_now(key)) left.push_back({key.name, *at});
    }
    *keys = std::move(left);
  }
}

std::shared_ptr<Impl> cut_to(const Impl& from, const std::vector<std::string>& outputs,
                             std::shared_ptr<Impl> without_hooks) {
  auto selection = std::make_shared<Impl>(static_cast<const CompiledState&>(from));
  const Graph& graph = from.source;
  std::vector<StateNames> states;
  for (const NamedIndex& state : from.states) {
    const std::string* output = next_output_of(from, state.name);
    states.push_back({graph.value(graph.inputs()[state.index]).name, output ? *output : ""});
  }
  selection->source = keep_outputs(graph, names_of(from.outputs), outputs, states).graph;
  std::vector<size_t> gone;
  size_t kept = 0;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const auto& left = selection->source.inputs();
    const bool stays = kept < left.size() && selection->source.value(left[kept]).name ==
                                                 graph.value(graph.inputs()[i]).name;
    kept += stays;
    if (!stays) gone.push_back(i);
  }
  remove_inputs(*selection, gone);
  std::vector<std::string> texts;
  for (size_t i = 0; i < from.outputs.size(); ++i) {
    const std::string& name = from.outputs[i].name;
    if (has_name(outputs, name)) {
      texts.push_back(from.output_texts[i]);
    } else {
      std::erase_if(selection->shapes, [&](const auto& shape) { return shape.first == name; });
      std::erase_if(selection->outputs, [&](const NamedIndex& key) { return key.name == name; });
    }
  }
  selection->output_texts = std::move(texts);
  place_outputs(*selection, graph);
  selection->hooks.clear();
  selection->without_hooks = nullptr;
  selection->load_options.observer =
      selection->debug ? print_values(nullptr, selection->quiet) : nullptr;
  selection->graph = selection->passed(selection->source);
  take_hooks(*selection, from, std::move(without_hooks));
  selection->load();
  return selection;
}

// The outputs in the order of the model. They may be losses that an inference form leaves out.
std::vector<std::string> outputs_in_order(const Impl& compiled,
                                          const std::vector<std::string>& outputs) {
  std::vector<std::string> known = names_of(compiled.outputs);
  const auto is_known = [&](const std::string& name) { return has_name(known, name); };
  if (compiled.composed && !std::all_of(outputs.begin(), outputs.end(), is_known))
    known = compiled.composed->outputs;
  for (const std::string& name : outputs) {
    if (!is_known(name)) unknown_name(ErrorKind::input, "E0807", "output", name, "", known);
  }
  std::erase_if(known, [&](const std::string& name) { return !has_name(outputs, name); });
  return known;
}

}  // namespace

size_t output_named(const CompiledState& compiled, const std::string& name) {
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    if (compiled.outputs[i].name == name) return i;
  }
  unknown_name(ErrorKind::input, "E0807", "output", name, "", names_of(compiled.outputs));
}

void take_hooks(Impl& compiled, const Impl& from, std::shared_ptr<Impl> without_hooks) {
  for (Hook hook : from.hooks) {
    const auto value = find_value_named(compiled.source, from.source.value(hook.value).name);
    if (!value) continue;
    hook.value = *value;
    compiled.hooks.push_back(std::move(hook));
  }
  if (compiled.hooks.empty()) return;
  compiled.without_hooks = std::move(without_hooks);
  apply_hooks(compiled);
}

std::shared_ptr<Impl> with_outputs(const std::shared_ptr<Impl>& compiled,
                                   const std::vector<std::string>& outputs) {
  if (outputs.empty()) return compiled;
  const std::vector<std::string> wanted = outputs_in_order(*compiled, outputs);
  const std::vector<std::string> known = names_of(compiled->outputs);
  if (wanted == known) return compiled;
  compiled->require_graph("evaluating some of the outputs");
  std::shared_ptr<Impl> without_hooks;
  if (compiled->without_hooks) without_hooks = with_outputs(compiled->without_hooks, wanted);
  const std::lock_guard lock(*compiled->facts_mutex);
  std::shared_ptr<Impl>& selection = compiled->selections[wanted];
  if (selection) return selection;
  const bool is_part = std::all_of(wanted.begin(), wanted.end(),
                                   [&](const std::string& name) { return has_name(known, name); });
  selection = is_part ? cut_to(*compiled, wanted, std::move(without_hooks))
                      : made_for_inference(*compiled, std::move(without_hooks), &wanted);
  return selection;
}

}  // namespace mithril
