#include "mithril/graph/nested_evaluation.hpp"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/number_tensor.hpp"
#include "mithril/graph/observer.hpp"
#include "mithril/infer/solved_sizes.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

Dims dims_in_numbers(const Value& value) {
  Dims dims;
  for (const Dim& dim : value.dims) dims.push_back(resolve(dim).constant());
  return dims;
}

// The body with the sizes of its inputs: all dims are numbers.
class SizedBody {
 public:
  SizedBody(const Graph& body, const std::vector<Dims>& inputs) {
    sized_.set_default_dtype(body.default_dtype());
    for (size_t i = 0; i < inputs.size(); ++i) add_input(body.value(body.inputs()[i]), inputs[i]);
    for (const Constant& constant : body.constants())
      ids_[constant.value] = sized_.add_constant(body.value(constant.value).name, constant.tensor);
    for (size_t i = 0; i < body.inputs().size(); ++i) ids_[body.inputs()[i]] = sized_.inputs()[i];
    for (const Node& node : body.nodes()) add_node(body, node);
    for (const Output& output : body.outputs())
      sized_.add_output(output.name, ids_.at(output.value));
  }

  Graph take() { return std::move(sized_); }

 private:
  void add_input(const Value& value, const Dims& dims) {
    for (size_t k = 0; k < dims.size(); ++k) sizes_.add(value.dims[k], dims[k]);
    sized_.add_input(
        {.name = value.name, .dims = {dims.begin(), dims.end()}, .dtype = value.dtype});
  }

  void add_node(const Graph& body, const Node& node) {
    std::vector<Argument> arguments;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) {
        arguments.emplace_back(ids_.at(*id));
      } else {
        arguments.emplace_back(map_dims(std::get<Datum>(argument), [&](const Dim& dim) {
          return Dim(number(dim, body.value(node.outputs.front()).name));
        }));
      }
    }
    const auto made =
        sized_.add(*node.op, std::move(arguments), body.value(node.outputs.front()).name);
    for (size_t k = 0; k < made.size(); ++k) ids_[node.outputs[k]] = made[k];
  }

  int64_t number(const Dim& dim, const std::string& name) {
    const auto refuse = [&](Symbol*) -> Dim {
      raise({.kind = ErrorKind::value,
             .code = "E0403",
             .path = name,
             .message = "the size " + to_string(dim) + " follows from no input of the loop",
             .help = "state the size: shapes of compile, or set_shapes"});
    };
    return sizes_(dim, refuse).constant();
  }

  Graph sized_;
  SolvedSizes sizes_;
  std::unordered_map<ValueId, ValueId> ids_;
};

}  // namespace

NestedEvaluation::NestedEvaluation(const Graph& graph, const std::vector<Dims>& inputs)
    : graph_(SizedBody(graph, inputs).take()), values_(graph_.values().size()) {
  for (const Constant& constant : graph_.constants())
    values_[index(constant.value)] = constant.tensor.host();
}

std::vector<Dims> NestedEvaluation::output_dims() const {
  std::vector<Dims> dims;
  for (const Output& output : graph_.outputs())
    dims.push_back(dims_in_numbers(graph_.value(output.value)));
  return dims;
}

std::vector<Tensor> NestedEvaluation::run(const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) values_[index(graph_.inputs()[i])] = inputs[i];
  for (const Node& node : graph_.nodes()) evaluate(node);
  std::vector<Tensor> outputs;
  for (const Output& output : graph_.outputs()) outputs.push_back(*values_[index(output.value)]);
  return outputs;
}

void NestedEvaluation::evaluate(const Node& node) {
  check_interrupt();
  const DType like = graph_.value(node.outputs.front()).dtype;
  std::vector<Datum> data(node.arguments.size());
  std::vector<std::optional<Tensor>> given(node.arguments.size());
  for (size_t i = 0; i < data.size(); ++i) {
    if (const ValueId* id = tensor_of(node.arguments[i])) {
      const Tensor& tensor = *values_[index(*id)];
      const DType wide = opmath_dtype(tensor.dtype());
      given[i] = wide == tensor.dtype() ? tensor : tensor.to(wide);
    } else {
      data[i] = std::get<Datum>(node.arguments[i]);
      if (data[i].kind() & kind::number) given[i] = number_tensor(data[i], like);
    }
  }
  std::vector<const Tensor*> tensors;
  for (const auto& tensor : given) tensors.push_back(tensor ? &*tensor : nullptr);
  std::vector<Tensor> outputs;
  for (const ValueId id : node.outputs) {
    const Value& value = graph_.value(id);
    outputs.emplace_back(opmath_dtype(value.dtype), dims_in_numbers(value));
  }
  EvalContext context(*node.op, tensors, data, outputs);
  node.op->eval(context);
  for (size_t k = 0; k < outputs.size(); ++k)
    values_[index(node.outputs[k])] = outputs[k].to(graph_.value(node.outputs[k]).dtype);
  const Observer* const observer = running_observer();
  if (!observer || !observer->wants(node)) return;
  for (const ValueId id : node.outputs)
    values_[index(id)] = observer->observe(graph_, node, id, *values_[index(id)]).host();
}

void write_elements(EvalContext& c, int output, const Tensor& made, int64_t at) {
  Tensor all = c.out(output);  // shares the elements
  const Tensor tensor = made.to(all.dtype());
  const size_t begin = static_cast<size_t>(at) * size_of(all.dtype());
  MITHRIL_CHECK(begin + tensor.bytes() <= all.bytes(), "an output holds all that is written to it");
  if (tensor.bytes() == 0) return;
  std::memcpy(static_cast<std::byte*>(all.mutable_raw_data()) + begin, tensor.raw_data(),
              tensor.bytes());
}

}  // namespace mithril
