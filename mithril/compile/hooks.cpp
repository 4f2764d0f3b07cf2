// Hooks on a compiled model: it is compiled again, with what is hooked kept.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/out_of_memory.hpp"
#include "mithril/compile/parts.hpp"
#include "mithril/model/flatten.hpp"

namespace mithril {
namespace {

using Parts = CompiledModel::Parts;

// By the name of an output, the key of an input, or the path of a port in the model.
std::optional<ValueId> find_value(const CompiledParts& parts, const std::string& path) {
  const Graph& graph = parts.source;
  for (size_t i = 0; i < parts.inputs.size(); ++i) {
    if (parts.inputs[i].key == path) return graph.inputs()[i];
  }
  for (const Output& output : graph.outputs()) {
    if (output.name == path) return output.value;
  }
  if (const auto value = find_value_named(graph, path)) return value;
  Wire* wire = parts.model->find_wire(path);
  return wire ? find_value_named(graph, name_in_graph(*parts.model, wire)) : std::nullopt;
}

[[noreturn]] void refuse(const Graph& graph, const std::string& path) {
  std::vector<std::string> names;
  for (const Value& value : graph.values()) names.push_back(value.name);
  unknown_name(ErrorKind::name, "E0613", "value", path, "", names);
}

}  // namespace

std::optional<ValueId> find_value_named(const Graph& graph, const std::string& name) {
  for (size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].name == name) return ValueId(static_cast<int32_t>(i));
  }
  return std::nullopt;
}

void watch(CompiledParts& parts) {
  parts.graph = run_passes(with_hooks(parts.source, parts.hooks), parts.passes);
  const std::shared_ptr<const Observer> calls = call_hooks(parts.hooks);
  parts.load_options.observer = parts.debug ? print_values(calls) : calls;
}

HookHandle CompiledModel::register_hook(const std::string& path, HookFunction function,
                                        HookOptions options) try {
  const std::optional<ValueId> value = find_value(*parts_, path);
  if (!value) refuse(parts_->source, path);
  auto parts = std::make_shared<Parts>(static_cast<const CompiledParts&>(*parts_));
  if (!parts->without_hooks) parts->without_hooks = parts_;
  std::erase_if(parts->hooks, [](const Hook& hook) { return !*hook.active; });
  const auto active = std::make_shared<std::atomic<bool>>(true);
  parts->hooks.push_back({*value, options.gradient, std::move(function), active});
  parts->cache = nullptr;
  watch(*parts);
  parts->load();
  parts_ = std::move(parts);
  return HookHandle(active);
} catch (const std::bad_alloc&) {
  raise_out_of_memory();
}

}  // namespace mithril
