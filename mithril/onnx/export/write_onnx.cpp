#include "mithril/onnx/export/write_onnx.hpp"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <numeric>
#include <set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/onnx/export/export_graph.hpp"
#include "mithril/onnx/export/message_writer.hpp"
#include "mithril/onnx/export/opsets.hpp"

namespace mithril {
namespace onnx {
namespace {

using Role = ExportedInput::Role;

// What a protobuf message holds, less what describes the tensors.
constexpr std::size_t most_inside = (std::size_t{1} << 31U) - (std::size_t{1} << 26U);

void check_written_opset(std::int64_t opset) {
  if (opset >= oldest_written_opset && opset <= newest_written_opset) return;
  raise({.kind = ErrorKind::value,
         .code = "E1321",
         .message = "models are not written for opset " + std::to_string(opset),
         .facts = {{"expected", std::to_string(oldest_written_opset) + " to " +
                                    std::to_string(newest_written_opset)}}});
}

// Whether an input of the graph of gradients, after those of the model, is the incoming gradient of
// `final_cost`.
bool is_of_cost(const ExportedModel& model, std::size_t input) {
  return model.outputs[model.gradient_of[input - model.inputs.size()]].key == "final_cost";
}

class ModelExport {
 public:
  ModelExport(const CompiledModel& compiled, const OnnxWriteOptions& options)
      : options_(options),
        compiled_(options.gradients ? compiled : compiled.in_inference()),
        model_(options.gradients ? compiled_.exported_with_open_gradients()
                                 : compiled_.exported_with_open_sizes()),
        params_(compiled_.load_state_dict(options.params)) {
    if (options.gradients) take_gradients();
    if (options.all_values) add_all_values();
  }

  WrittenGraph graph() {
    GraphExport how{.opset = options_.opset};
    const std::vector<std::string> data = compiled_.data_keys();
    for (const ExportedInput& input : model_.inputs) {
      const bool is_data =
          input.role == Role::state || std::find(data.begin(), data.end(), input.key) != data.end();
      how.initializers.push_back(is_data ? nullptr : elements_of_input(input));
    }
    for (std::size_t i = model_.inputs.size(); i < model_.graph.inputs().size(); ++i)
      how.initializers.push_back(comes_from_cost(i) ? &one_of(i) : nullptr);
    how.output_names = output_names();
    std::vector<Fact> problems;
    WrittenGraph made = export_graph(model_.graph, how, problems);
    refuse(std::move(problems));
    return made;
  }

  TensorMap reference(const TensorMap& data) {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
      const ExportedInput& input = model_.inputs[i];
      const DType dtype = model_.graph.value(model_.graph.inputs()[i]).dtype;
      const Tensor* given = data.find(input.key);
      const Tensor* state = options_.state.find(input.key);
      const bool is_initial = input.role == Role::state && !state;
      const Tensor tensor = given        ? *given
                            : is_initial ? *input.initial
                                         : *elements_of_input(input);
      inputs.push_back(tensor.dtype() == dtype ? tensor.host() : tensor.to(dtype));
    }
    for (std::size_t i = model_.inputs.size(); i < model_.graph.inputs().size(); ++i) {
      const Value& value = model_.graph.value(model_.graph.inputs()[i]);
      inputs.push_back(comes_from_cost(i) ? one_of(i) : data.at(value.name).to(value.dtype));
    }
    const std::vector<Tensor> outputs = interpret(model_.graph, inputs);
    const std::vector<std::string> names = output_names();
    std::vector<std::size_t> order(outputs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return model_.graph.outputs()[a].value < model_.graph.outputs()[b].value;
    });
    TensorMap results;
    for (const std::size_t i : order) results[names[i]] = outputs[i];
    return results;
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

  bool comes_from_cost(std::size_t input) const { return is_of_cost(model_, input); }

  const Tensor& one_of(std::size_t input) {
    const Value& value = model_.graph.value(model_.graph.inputs()[input]);
    return hosted_.emplace_back(Tensor::full(value.dtype, {}, 1));
  }

  void add_all_values() {
    std::set<std::string> names;
    std::set<ValueId> visible;
    for (const Output& output : model_.graph.outputs()) {
      names.insert(output.name);
      visible.insert(output.value);
    }
    for (const Node& node : std::vector<Node>(model_.graph.nodes())) {
      for (const ValueId id : node.outputs) {
        const std::string& name = model_.graph.value(id).name;
        const bool can_be_output = model_.graph.value(id).ranked && !visible.contains(id);
        if (can_be_output && names.insert(name).second) model_.graph.add_output(name, id);
      }
    }
  }

  const Tensor* elements_of_input(const ExportedInput& input) {
    if (input.role == Role::parameter) return &hosted_.emplace_back(params_.at(input.key).host());
    const Tensor* state = options_.state.find(input.key);
    if (!state) {
      raise({.kind = ErrorKind::state,
             .code = "E0923",
             .path = input.key,
             .message = "the file needs this state, which inference reads",
             .help = "pass state=, such as step.state or compiled.initial_state_dict"});
    }
    const DType dtype = model_.graph.value(model_.graph.id_of(input.key)).dtype;
    return &hosted_.emplace_back(state->dtype() == dtype ? state->host() : state->to(dtype));
  }

  void refuse(std::vector<Fact> problems) const {
    if (problems.empty()) return;
    raise({.kind = ErrorKind::value,
           .code = "E1320",
           .message = "opset " + std::to_string(options_.opset) + " of ONNX lacks ops of the model",
           .facts = std::move(problems),
           .help = "docs/onnx.md lists the ops that can be exported; compose others of these"});
  }

  const OnnxWriteOptions& options_;
  const CompiledModel compiled_;
  ExportedModel model_;
  const TensorMap params_;
  std::deque<Tensor> hosted_;
};

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
}  // namespace onnx

void write_onnx(const CompiledModel& compiled, const std::string& path,
                const OnnxWriteOptions& options) {
  onnx::check_written_opset(options.opset);
  onnx::WrittenGraph graph = onnx::ModelExport(compiled, options).graph();
  const std::string file = onnx::file_name_of(path);
  graph.name = file.substr(0, file.find_last_of('.'));
  if (graph.name.empty()) graph.name = "graph";  // the checker of the onnx package needs one
  onnx::FileText text{.opset = options.opset};
  if (options.external_data || onnx::element_bytes(graph) > onnx::most_inside)
    text.data_file = file + ".data";
  onnx::write_pieces(path, onnx::file_pieces(graph, text));
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
                         const OnnxWriteOptions& options) {
  return onnx::ModelExport(compiled, options).reference(data);
}

}  // namespace mithril
