// Compiled models as graphs, for generators of code.
#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/compile/check_examples.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/local_program.hpp"

namespace mithril {
namespace {

using Role = ExportedInput::Role;

Role role_of(KeyClass key_class) {
  if (key_class == KeyClass::parameter) return Role::parameter;
  return key_class == KeyClass::state ? Role::state : Role::data;
}

// Whether a state is read but not changed, as running statistics in inference: its initial value
// would be wrong.
bool is_read_alone(const CompiledState& compiled, const std::string& key) {
  const std::vector<std::string>& required = compiled.required_states;
  return !contains(compiled.next_states, key) &&
         std::find(required.begin(), required.end(), key) != required.end();
}

// The graph of the outputs. `dims_of` gives the dims of an input that is not a state.
template <typename DimsOf>
ExportedModel outputs_of(const CompiledState& compiled, DimsOf dims_of) {
  ExportedModel exported{.graph = compiled.graph};
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    const InputKey& input = compiled.inputs[i];
    ExportedInput& result = exported.inputs.emplace_back();
    result.key = input.key;
    result.role = role_of(input.key_class);
    result.frozen = input.frozen;
    if (result.role != Role::state) {
      result.dims = dims_of(NamedIndex{input.key, i});
      continue;
    }
    result.initial = compiled.initial.at(input.key).host();
    result.dims = result.initial->dims();
    if (is_read_alone(compiled, input.key)) {
      result.role = Role::data;
      result.initial = std::nullopt;
    }
  }
  for (const NamedIndex& output : compiled.outputs) {
    exported.outputs.push_back({output.name, output.index});
  }
  for (const NamedIndex& state : compiled.next_states) {
    exported.outputs.push_back({state.name, state.index, true});
  }
  return exported;
}

template <typename Impl>
void add_gradients(ExportedModel& exported, Impl& compiled) {
  if (compiled.trained_inputs().empty()) return;
  exported.gradient_of = differentiated_outputs(compiled);
  if (!exported.gradient_of.empty()) exported.gradients = compiled.gradients(exported.gradient_of);
}

}  // namespace

void check_examples(const CompiledState& compiled, const TensorMap& examples) {
  for (const auto& [key, tensor] : examples) {
    const std::vector<std::string>& spare = compiled.spare_data;
    const bool is_spare = std::find(spare.begin(), spare.end(), key) != spare.end();
    if (is_spare || contains(compiled.data, key)) continue;
    unknown_name(ErrorKind::input, "E0802", "data input", key, "", names_of(compiled.data));
  }
}

std::vector<size_t> differentiated_outputs(const CompiledState& compiled) {
  std::vector<size_t> outputs;
  const std::vector<bool> differentiable = compiled.differentiable_outputs();
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    if (compiled.outputs[i].name == "final_cost") return {i};
    if (differentiable[compiled.outputs[i].index]) outputs.push_back(i);
  }
  return outputs;
}

ExportedModel CompiledModel::exported(const TensorMap& data) const {
  Impl& compiled = impl_->without_hooks ? *impl_->without_hooks : *impl_;
  compiled.require_graph("exporting");
  refuse_export(compiled, "an export (to_onnx, generated code)");
  check_examples(compiled, data);
  ExportedModel exported = outputs_of(
      compiled, [&](const NamedIndex& key) { return compiled.dims_of_input(key, data); });
  if (!compiled.inference) add_gradients(exported, compiled);
  return exported;
}

ExportedModel CompiledModel::exported_with_open_sizes() const {
  const Impl& compiled = impl_->without_hooks ? *impl_->without_hooks : *impl_;
  compiled.require_graph("exporting");
  refuse_export(compiled, "an export (to_onnx, generated code)");
  return outputs_of(compiled, [](const NamedIndex&) { return Dims(); });
}

ExportedModel CompiledModel::exported_with_open_gradients() const {
  Impl& compiled = impl_->without_hooks ? *impl_->without_hooks : *impl_;
  ExportedModel exported = exported_with_open_sizes();
  compiled.require_gradients();
  add_gradients(exported, compiled);
  return exported;
}

}  // namespace mithril
