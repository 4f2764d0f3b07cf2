#include "mithril/onnx/export/write_onnx.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/onnx/export/file_graph.hpp"

namespace mithril {
namespace onnx {
namespace {

using Role = ExportedInput::Role;

// Whether an input of the graph of gradients, after those of the model, is the incoming gradient of
// `final_cost`.
bool is_of_cost(const ExportedModel& model, std::size_t input) {
  return model.outputs[model.gradient_of[input - model.inputs.size()]].key == "final_cost";
}

// Returns the model in the mode of the file. Inference mode drops the group, so a model with a
// group is exported in its own mode first, which raises E1054 for several processes.
CompiledModel form_in_file(const CompiledModel& compiled, const OnnxWriteOptions& options) {
  if (options.gradients) return compiled;
  if (compiled.group()) compiled.exported_with_open_sizes();
  return compiled.in_inference();
}

class ModelExport {
 public:
  ModelExport(const CompiledModel& compiled, const OnnxWriteOptions& options)
      : options_(options),
        compiled_(form_in_file(compiled, options)),
        model_(options.gradients ? compiled_.exported_with_open_gradients()
                                 : compiled_.exported_with_open_sizes()),
        params_(compiled_.load_state_dict(options.params)) {
    if (options.gradients) take_gradients();
  }

  FileGraph file() {
    FileGraph made{.output_names = output_names()};
    const std::vector<std::string> data = compiled_.data_keys();
    for (const ExportedInput& input : model_.inputs) {
      const bool is_data =
          input.role == Role::state || std::find(data.begin(), data.end(), input.key) != data.end();
      made.initializers.push_back(is_data ? std::nullopt : std::optional(elements_of(input)));
    }
    const std::vector<ValueId>& inputs = model_.graph.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Value& value = model_.graph.value(inputs[i]);
      made.input_names.push_back(value.name);
      if (i < model_.inputs.size()) continue;
      made.initializers.emplace_back();
      if (is_of_cost(model_, i)) made.initializers.back() = Tensor::full(value.dtype, {}, 1);
    }
    made.graph = std::move(model_.graph);
    if (options_.all_values) add_all_values(made);
    return made;
  }

  // The data, and the states that the file has as inputs.
  TensorMap inputs(const TensorMap& data) const {
    TensorMap given = data.share();
    for (const ExportedInput& input : model_.inputs) {
      if (input.role != Role::state || given.contains(input.key)) continue;
      const Tensor* state = options_.state.find(input.key);
      given[input.key] = state ? *state : *input.initial;
    }
    return given;
  }

 private:
  // A graph may have outputs that the user does not see.
  std::vector<std::string> output_names() const {
    std::vector<std::string> names;
    for (const Output& output : model_.graph.outputs()) names.push_back(output.name);
    for (const ExportedOutput& output : model_.outputs)
      names[output.index] = output.key + (output.next_state ? "_next" : "");
    return names;
  }

  // Replaces the graph by that of the gradients, whose further inputs are incoming gradients, and
  // whose further outputs are gradients of parameters.
  void take_gradients() {
    if (!model_.gradients) return;
    std::size_t output = model_.graph.outputs().size();
    for (const ExportedInput& input : model_.inputs)
      if (input.is_trained()) model_.outputs.push_back({input.key + ".grad", output++});
    model_.graph = std::move(*model_.gradients);
  }

  Tensor elements_of(const ExportedInput& input) const {
    if (input.role == Role::parameter) return params_.at(input.key).host();
    const Tensor* state = options_.state.find(input.key);
    if (!state) {
      raise({.kind = ErrorKind::state,
             .code = "E0923",
             .path = input.key,
             .message = "the file needs this state, which inference reads",
             .help = "pass state=, such as step.state or compiled.initial_state_dict"});
    }
    const DType dtype = model_.graph.value(model_.graph.id_of(input.key)).dtype;
    return state->dtype() == dtype ? state->host() : state->to(dtype);
  }

  const OnnxWriteOptions& options_;
  const CompiledModel compiled_;
  ExportedModel model_;
  const TensorMap params_;
};

FileOptions file_options(const OnnxWriteOptions& options) {
  return {.opset = options.opset,
          .external_data = options.external_data,
          .functions = options.functions};
}

}  // namespace
}  // namespace onnx

void write_onnx(const CompiledModel& compiled, const std::string& path,
                const OnnxWriteOptions& options) {
  onnx::write_file_graph(onnx::ModelExport(compiled, options).file(), path,
                         onnx::file_options(options));
}

std::vector<std::string> onnx_gradient_inputs(const CompiledModel& compiled) {
  const ExportedModel model = compiled.exported_with_open_gradients();
  std::vector<std::string> names;
  if (!model.gradients) return names;
  const std::vector<ValueId>& inputs = model.gradients->inputs();
  for (std::size_t i = model.inputs.size(); i < inputs.size(); ++i)
    if (!onnx::is_of_cost(model, i)) names.push_back(model.gradients->value(inputs[i]).name);
  return names;
}

TensorMap onnx_reference(const CompiledModel& compiled, const TensorMap& data,
                         const OnnxWriteOptions& options, const TensorMap& values) {
  onnx::ModelExport made(compiled, options);
  const TensorMap inputs = made.inputs(data);
  return onnx::reference_outputs(onnx::with_given_values(made.file(), values), inputs);
}

}  // namespace mithril
