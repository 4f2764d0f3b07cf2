// Compiled models as files that run without Mithril.
#include "mithril/base/text.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/local_program.hpp"

namespace mithril {

Dims CompiledState::dims_of_input(const NamedIndex& key, const TensorMap& data) const {
  if (const Tensor* example = data.find(key.name)) return example->dims();
  const Value& value = graph.value(graph.inputs()[key.index]);
  Dims dims;
  for (const Dim& dim : value.dims) {
    if (dim.is_constant()) dims.push_back(dim.constant());
  }
  if (value.ranked && dims.size() == value.dims.size()) return dims;
  raise({.kind = ErrorKind::input,
         .code = "E0811",
         .message = "the sizes of " + in_quotes(key.name) + " are not known",
         .facts = {{"known", value.ranked ? to_string(value.dims) : "[...]"}},
         .help = "give data with an example of it, or shapes to compile"});
}

void CompiledModel::save_torchscript(const std::string& path, const TensorMap& params,
                                     const TensorMap& data) const {
  const CompiledState& compiled = *impl_;
  compiled.require_graph("save_torchscript");
  refuse_export(compiled, "save_torchscript");
  if (!compiled.required_states.empty()) {
    raise({.kind = ErrorKind::state,
           .code = "E0922",
           .message = "a TorchScript file keeps no state, and the model has one",
           .facts = {{"state", join(compiled.required_states, ", ")}},
           .help = "save what bind(params, state) gives, with params={}"});
  }
  const TensorMap held = load_state_dict(params);
  std::vector<SavedInput> inputs(compiled.inputs.size());
  for (const NamedIndex& key : compiled.parameters) {
    inputs[key.index] = {.key = key.name, .value = held.at(key.name)};
  }
  for (const NamedIndex& key : compiled.states) {
    inputs[key.index] = {.key = key.name, .value = compiled.initial.at(key.name)};
  }
  for (const NamedIndex& key : compiled.data) {
    inputs[key.index] = {.key = key.name, .dims = compiled.dims_of_input(key, data)};
  }
  std::vector<SavedOutput> outputs;
  for (const NamedIndex& key : compiled.outputs) outputs.push_back({key.name, key.index});
  if (impl_->forward().executable->save_torchscript(path, inputs, outputs)) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1021",
         .message = "backend " + in_quotes(compiled.backend->name()) + " writes no TorchScript",
         .help = "compile for TorchBackend"});
}

}  // namespace mithril
