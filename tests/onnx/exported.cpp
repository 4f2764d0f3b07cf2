#include "tests/onnx/exported.hpp"

#include <algorithm>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/onnx/export/export_graph.hpp"
#include "mithril/onnx/export/message_writer.hpp"
#include "mithril/onnx/read_onnx.hpp"

namespace mithril::tests {

OnnxExport exported_to_onnx(const Graph& graph, std::int64_t opset) {
  onnx::GraphExport how{.opset = opset};
  how.initializers.resize(graph.inputs().size());
  for (const ValueId id : graph.inputs()) how.input_names.push_back(graph.value(id).name);
  for (const Output& output : graph.outputs()) how.output_names.push_back(output.name);
  std::vector<Fact> problems;
  const onnx::WrittenGraph written = onnx::export_graph(graph, how, problems);
  OnnxExport made;
  for (const Fact& problem : problems) made.problems.push_back(problem.text);
  if (!problems.empty()) return made;
  const onnx::FilePieces pieces = onnx::file_pieces(written, {.opset = opset});
  for (const std::string_view piece : pieces.model) made.bytes += piece;
  return made;
}

std::vector<Tensor> results_of_onnx(const std::string& path, const Graph& graph,
                                    const std::vector<Tensor>& inputs) {
  const OnnxModel net = read_onnx(path, {.dtype = DType::float64});
  std::vector<KeyRef> data_keys;
  for (const std::string& key : net.model.input_keys())
    if (!net.parameters.contains(key)) data_keys.emplace_back(key);
  const CompiledModel compiled =
      compile(net.model, cpu({.dtype = DType::float64}), {.data_keys = data_keys});
  TensorMap data;
  const std::vector<std::string> keys = compiled.data_keys();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.value(graph.inputs()[i]).name;
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) data[name] = inputs[i];
  }
  const TensorMap results = compiled.evaluate(net.parameters, data);
  std::vector<Tensor> outputs;
  for (const Output& output : graph.outputs()) {
    const Tensor* named = results.find(output.name);
    outputs.push_back(named ? *named : results.at(output.name + "_output"));
  }
  return outputs;
}

}  // namespace mithril::tests
