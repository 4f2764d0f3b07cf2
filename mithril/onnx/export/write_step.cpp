// Writes steps of training as ONNX files.
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/onnx/export/file_graph.hpp"
#include "mithril/onnx/export/write_onnx.hpp"

namespace mithril {
namespace onnx {
namespace {

struct StepFile {
  FileGraph graph;
  TensorMap values = {};  // of the inputs that are not data
};

StepFile step_file(const TrainingStep& step, const OnnxWriteOptions& options) {
  if (options.gradients || !options.state.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E1371",
           .message = "a training step has its own state, and its file has no gradients",
           .help = "leave `state` and `gradients` out, or write step.compiled"});
  }
  ExportedStep exported = step.exported(options.params);
  StepFile made{.graph = {.graph = std::move(exported.graph),
                          .input_names = {},
                          .output_names = std::move(exported.outputs)}};
  for (ExportedStep::Input& input : exported.inputs) {
    made.graph.input_names.push_back(input.name);
    made.graph.initializers.push_back(input.is_fixed ? input.value : std::nullopt);
    // The next call of the step writes to the tensors of the user.
    if (input.value && !input.is_fixed) made.values[input.name] = input.value->copy();
  }
  if (options.all_values) add_all_values(made.graph);
  return made;
}

}  // namespace
}  // namespace onnx

TensorMap write_onnx(const TrainingStep& step, const std::string& path,
                     const OnnxWriteOptions& options) {
  onnx::StepFile file = onnx::step_file(step, options);
  onnx::write_file_graph(file.graph, path,
                         {.opset = options.opset,
                          .external_data = options.external_data,
                          .functions = options.functions});
  return std::move(file.values);
}

TensorMap onnx_reference(const TrainingStep& step, const TensorMap& data,
                         const OnnxWriteOptions& options, const TensorMap& values) {
  const onnx::StepFile file = onnx::step_file(step, options);
  TensorMap inputs = data.share();
  for (const auto& [name, value] : file.values)
    if (!inputs.contains(name)) inputs[name] = value;
  return onnx::reference_outputs(onnx::with_given_values(file.graph, values), inputs);
}

}  // namespace mithril
