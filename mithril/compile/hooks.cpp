// Hooks on a compiled model: the model is compiled again, and keeps the hooked values.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/compile/loop_steps.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/model/flatten.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

// "model." if this is a training model: its keys are those of the model in it, so that paths in
// that model name values as they name parameters.
std::string inner_prefix(const CompiledState& compiled) {
  const Composite& model = *compiled.model;
  if (!model.completion || model.parts.empty()) return "";
  return model.name_of(*model.parts.front()) + ".";
}

// Finds a value by the name of an output, the key of an input, or the path of a port in the model.
std::optional<ValueId> find_value(const CompiledState& compiled, const std::string& path) {
  const Graph& graph = compiled.source;
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    if (compiled.inputs[i].key == path) return graph.inputs()[i];
  }
  for (const Output& output : graph.outputs()) {
    if (output.name == path) return output.value;
  }
  const std::string prefix = inner_prefix(compiled);
  for (const std::string& full : {path, prefix + path}) {
    if (const auto value = find_value_named(graph, full)) return value;
    Wire* wire = compiled.model->find_wire(full);
    if (!wire) continue;
    if (const auto value = find_value_named(graph, name_in_graph(*compiled.model, wire)))
      return value;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const CompiledState& compiled, const std::string& path) {
  const std::string prefix = inner_prefix(compiled);
  std::vector<std::string> names;
  for (const InputKey& input : compiled.inputs) names.push_back(input.key);
  for (const Node& node : compiled.source.nodes()) {
    for (const ValueId output : node.outputs) {
      const std::string& name = compiled.source.value(output).name;
      names.push_back(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
    }
  }
  unknown_name(ErrorKind::name, "E0613", "value", path, "", names);
}

}  // namespace

std::optional<ValueId> find_value_named(const Graph& graph, const std::string& name) {
  for (size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].name == name) return ValueId(static_cast<int32_t>(i));
  }
  return std::nullopt;
}

void apply_hooks(CompiledState& compiled) {
  compiled.graph = run_passes(with_hooks(compiled.source, compiled.hooks), compiled.passes);
  const std::shared_ptr<const Observer> calls = call_hooks(compiled.hooks);
  compiled.load_options.observer = compiled.debug ? print_values(calls, compiled.quiet) : calls;
}

std::vector<int64_t> loop_steps() {
  const std::span<const int64_t> steps = running_steps();
  return {steps.begin(), steps.end()};
}

HookHandle CompiledModel::register_hook(const std::string& path, HookFunction function,
                                        HookOptions options) {
  impl_->require_graph("register_hook");
  refuse_distributed(*impl_, "register_hook",
                     "compile the model without a group to look at its values");
  const std::optional<ValueId> value = find_value(*impl_, path);
  if (!value) refuse(*impl_, path);
  auto compiled = std::make_shared<Impl>(static_cast<const CompiledState&>(*impl_));
  if (!compiled->without_hooks) compiled->without_hooks = impl_;
  std::erase_if(compiled->hooks, [](const Hook& hook) { return !*hook.active; });
  const auto active = std::make_shared<std::atomic<bool>>(true);
  compiled->hooks.push_back({*value, path, options.gradient, std::move(function), active});
  compiled->cache = nullptr;
  apply_hooks(*compiled);
  compiled->load();
  impl_ = std::move(compiled);
  return HookHandle(active);
}

}  // namespace mithril
