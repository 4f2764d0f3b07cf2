#include "mithril/onnx/export/file_graph.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/onnx/export/export_graph.hpp"
#include "mithril/onnx/export/functions.hpp"
#include "mithril/onnx/export/message_writer.hpp"
#include "mithril/onnx/export/opsets.hpp"

namespace mithril::onnx {
namespace {

// The largest protobuf message, 2 GiB, minus 64 MiB for the descriptions of tensors.
constexpr std::size_t most_inside = (std::size_t{1} << 31U) - (std::size_t{1} << 26U);

void check_written_opset(std::int64_t opset) {
  if (opset >= oldest_written_opset && opset <= newest_written_opset) return;
  raise({.kind = ErrorKind::value,
         .code = "E1321",
         .message = "models are not written for opset " + std::to_string(opset),
         .facts = {{"expected", std::to_string(oldest_written_opset) + " to " +
                                    std::to_string(newest_written_opset)}}});
}

WrittenGraph written(const FileGraph& file, std::int64_t opset) {
  GraphExport how{
      .opset = opset, .input_names = file.input_names, .output_names = file.output_names};
  for (const std::optional<Tensor>& elements : file.initializers)
    how.initializers.push_back(elements ? &*elements : nullptr);
  std::vector<Fact> problems;
  WrittenGraph made = export_graph(file.graph, how, problems);
  if (problems.empty()) return made;
  raise({.kind = ErrorKind::value,
         .code = "E1320",
         .message = "opset " + std::to_string(opset) + " of ONNX lacks ops of the model",
         .facts = std::move(problems),
         .help = "docs/onnx.md lists the ops that can be exported; compose others of these"});
}

void write_pieces(const std::string& path, const FilePieces& pieces) {
  namespace fs = std::filesystem;
  const std::string data = path + ".data";
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) cannot_write(path, reason_of(EISDIR));
  const bool has_old_data = fs::exists(data, ignored);
  if (!pieces.data.empty()) {
    if (const std::string why = write_file(data, pieces.data); !why.empty())
      cannot_write(data, why);
  }
  const std::string why = write_file(path, pieces.model);
  if (why.empty()) return;
  if (!pieces.data.empty() && !has_old_data) fs::remove(data, ignored);
  cannot_write(path, why);
}

std::string file_name_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

void add_all_values(FileGraph& file) {
  std::set<std::string> names;
  std::set<ValueId> visible;
  for (const Output& output : file.graph.outputs()) {
    names.insert(output.name);
    visible.insert(output.value);
  }
  for (const Node& node : std::vector<Node>(file.graph.nodes())) {
    for (const ValueId id : node.outputs) {
      const std::string name = file.graph.value(id).name;
      const bool can_be_output = file.graph.value(id).ranked && !visible.contains(id);
      if (!can_be_output || !names.insert(name).second) continue;
      file.graph.add_output(name, id);
      file.output_names.push_back(name);
    }
  }
}

TensorMap reference_outputs(const FileGraph& file, const TensorMap& inputs) {
  std::vector<Tensor> given;
  for (std::size_t i = 0; i < file.input_names.size(); ++i) {
    const DType dtype = file.graph.value(file.graph.inputs()[i]).dtype;
    const Tensor& tensor =
        file.initializers[i] ? *file.initializers[i] : inputs.at(file.input_names[i]);
    given.push_back(tensor.dtype() == dtype ? tensor.host() : tensor.to(dtype));
  }
  const std::vector<Tensor> outputs = interpret(file.graph, given);
  std::vector<std::size_t> order(outputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return file.graph.outputs()[a].value < file.graph.outputs()[b].value;
  });
  TensorMap results;
  for (const std::size_t i : order) results[file.output_names[i]] = outputs[i];
  return results;
}

FileGraph with_given_values(const FileGraph& file, const TensorMap& values) {
  if (values.empty()) return file;
  const Graph& from = file.graph;
  FileGraph made{.graph = {},
                 .input_names = file.input_names,
                 .output_names = file.output_names,
                 .initializers = file.initializers};
  made.graph.share_facts(from);
  made.graph.set_default_dtype(from.default_dtype());
  const std::string prefix = free_prefix(from, "given.");
  std::unordered_map<ValueId, std::string> names;
  for (std::size_t i = 0; i < from.outputs().size(); ++i)
    names.emplace(from.outputs()[i].value, file.output_names[i]);
  std::unordered_map<ValueId, ValueId> read, results;
  for (const ValueId id : from.inputs()) read[id] = made.graph.add_input(from.value(id));
  for (const Constant& constant : from.constants())
    read[constant.value] =
        made.graph.add_constant(from.value(constant.value).name, constant.tensor);
  results = read;
  for (const Node& node : from.nodes()) {
    copy_node(from, node, made.graph, read);
    for (const ValueId id : node.outputs) {
      results[id] = read[id];
      const auto name = names.find(id);
      const Tensor* value = name == names.end() ? nullptr : values.find(name->second);
      if (!value) continue;
      Value given = from.value(id);
      given.name = prefix + given.name;
      read[id] = made.graph.add_input(std::move(given));
      made.input_names.push_back(name->second);
      made.initializers.emplace_back(*value);
    }
  }
  for (const Output& output : from.outputs())
    made.graph.add_output(output.name, results.at(output.value));
  return made;
}

void write_file_graph(const FileGraph& file, const std::string& path, const FileOptions& options) {
  check_written_opset(options.opset);
  WrittenGraph graph = written(file, options.opset);
  if (options.functions) make_functions(graph);
  const std::string name = file_name_of(path);
  graph.name = name.substr(0, name.find_last_of('.'));
  if (graph.name.empty()) graph.name = "graph";  // the checker of the onnx package needs one
  FileText text{.opset = options.opset};
  if (options.external_data || element_bytes(graph) > most_inside) text.data_file = name + ".data";
  write_pieces(path, file_pieces(graph, text));
}

}  // namespace mithril::onnx
