// Values inside a compiled model, shown to whoever asks: they become outputs of its graph.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/compile/parts.hpp"

namespace mithril {
namespace {

using Parts = CompiledModel::Parts;

std::optional<ValueId> find_value(const CompiledParts& parts, const std::string& path) {
  const Graph& graph = parts.graph;
  for (const Output& output : graph.outputs()) {
    if (output.name == path) return output.value;
  }
  for (size_t i = 0; i < parts.inputs.size(); ++i) {
    if (parts.inputs[i].key == path) return graph.inputs()[i];
  }
  for (size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].name == path) return ValueId(static_cast<int32_t>(i));
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const Graph& graph, const std::string& path) {
  std::vector<std::string> names;
  for (const Value& value : graph.values()) names.push_back(value.name);
  try {
    unknown_name(ErrorKind::name, "E0613", "value", path, "", names);
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    if (!details.help.empty()) details.help += "; ";
    details.help += "passes drop values that are not needed: optimization_level \"none\" keeps all";
    raise(std::move(details));
  }
}

}  // namespace

void CompiledModel::register_hook(const std::string& path, std::function<void(const Tensor&)> see) {
  const std::optional<ValueId> value = find_value(*parts_, path);
  if (!value) refuse(parts_->graph, path);
  auto parts = std::make_shared<Parts>(static_cast<const CompiledParts&>(*parts_));
  const size_t output = parts->graph.outputs().size();
  parts->graph.add_output("hook_" + std::to_string(output) + "@" + path, *value);
  parts->hooks.push_back({output, std::move(see)});
  parts->load();
  parts_ = std::move(parts);
}

}  // namespace mithril
