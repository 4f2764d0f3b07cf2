#include "mithril/graph/scan_reference.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/graph/number_tensor.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

Dims numbers(const Value& value) {
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
    for (size_t k = 0; k < dims.size(); ++k) {
      const Dim dim = resolve(value.dims[k]);
      if (dim.symbol()) sizes_.emplace(dim.symbol(), dims[k]);
    }
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
    const auto made = sized_.add(*node.op, std::move(arguments),
                                 body.value(node.outputs.front()).name + ".of_step");
    for (size_t k = 0; k < made.size(); ++k) ids_[node.outputs[k]] = made[k];
  }

  int64_t number(const Dim& dim, const std::string& name) {
    const auto known = evaluate(resolve(dim), sizes_);
    if (known) return *known;
    raise({.kind = ErrorKind::value,
           .code = "E0403",
           .path = name,
           .message = "the size " + to_string(dim) + " follows from no input of the loop",
           .help = "state the size: shapes of compile, or set_shapes"});
  }

  Graph sized_;
  Sizes sizes_;
  std::unordered_map<ValueId, ValueId> ids_;
};

// Runs a graph whose dims are numbers.
class StepEvaluation {
 public:
  explicit StepEvaluation(const Graph& graph) : graph_(graph), values_(graph.values().size()) {
    for (const Constant& constant : graph.constants())
      values_[index(constant.value)] = constant.tensor.host();
  }

  std::vector<Tensor> run(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[index(graph_.inputs()[i])] = inputs[i];
    for (const Node& node : graph_.nodes()) evaluate(node);
    std::vector<Tensor> outputs;
    for (const Output& output : graph_.outputs()) outputs.push_back(*values_[index(output.value)]);
    return outputs;
  }

 private:
  void evaluate(const Node& node) {
    check_interrupt();
    const DType like = graph_.value(node.outputs.front()).dtype;
    std::vector<Datum> data(node.arguments.size());
    std::vector<std::optional<Tensor>> given(node.arguments.size());
    for (size_t i = 0; i < data.size(); ++i) {
      if (const ValueId* id = tensor_of(node.arguments[i])) {
        const Tensor& tensor = *values_[index(*id)];
        given[i] = is_half(tensor.dtype()) ? tensor.to(DType::float32) : tensor;
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
      outputs.emplace_back(is_half(value.dtype) ? DType::float32 : value.dtype, numbers(value));
    }
    EvalContext context(*node.op, tensors, data, outputs);
    node.op->eval(context);
    for (size_t k = 0; k < outputs.size(); ++k)
      values_[index(node.outputs[k])] = outputs[k].to(graph_.value(node.outputs[k]).dtype);
  }

  const Graph& graph_;
  std::vector<std::optional<Tensor>> values_;
};

// The element of a sequence at a step.
Tensor element(const Tensor& sequence, int64_t step) {
  Tensor item(sequence.dtype(), Dims(sequence.dims().begin() + 1, sequence.dims().end()));
  const size_t bytes = item.bytes();
  if (bytes > 0)
    std::memcpy(
        item.mutable_raw_data(),
        static_cast<const std::byte*>(sequence.raw_data()) + static_cast<size_t>(step) * bytes,
        bytes);
  return item;
}

// Writes the elements of the tensor to an output, from element `at` on.
void write(EvalContext& c, int output, const Tensor& made, int64_t at) {
  const Tensor tensor = made.to(c.out(output).dtype());
  visit_dtype(tensor.dtype(), [&](auto zero) {
    const auto elements = tensor.values<decltype(zero)>();
    auto y = c.write<decltype(zero)>(output);
    for (size_t i = 0; i < elements.size(); ++i) y[at + static_cast<int64_t>(i)] = elements[i];
  });
}

}  // namespace

void check_carries(const ScanLoop& scan, const std::vector<Dims>& given,
                   const std::vector<Dims>& made) {
  for (size_t i = 0; i < scan.carries; ++i) {
    if (given[i] == made[i]) continue;
    const std::string &carry = scan.body.value(scan.body.inputs()[i]).name,
                      &next = scan.body.outputs()[i].name;
    raise({.kind = ErrorKind::shape,
           .code = "E0219",
           .path = carry,
           .message = "a step of the loop changes the shape of the carry '" + carry + "'",
           .facts = {{carry, to_string(given[i]), ""}, {next, to_string(made[i]), ""}},
           .help = "every step must return a carry of the shape that it reads"});
  }
}

void check_steps(const ScanLoop& scan, size_t i, int64_t elements, int64_t length) {
  if (elements == length) return;
  const std::string& name = scan.body.value(scan.body.inputs()[i]).name;
  raise({.kind = ErrorKind::shape,
         .code = "E0210",
         .path = name,
         .message =
             "scan: with these sizes '" + name + "' has other elements than the loop has steps",
         .facts = {{"elements", std::to_string(elements), ""},
                   {"steps", std::to_string(length), ""}}});
}

void evaluate_scan(EvalContext& c) {
  ScanLoop scan{.body = parse_graph(c.text("body")),
                .carries = static_cast<size_t>(c.integer("carries")),
                .sequences = static_cast<size_t>(c.integer("sequences"))};
  std::vector<Tensor> given;
  std::vector<Dims> dims;
  for (int i = 0; i < c.list_size(); ++i) {
    const DType dtype = scan.body.value(scan.body.inputs()[static_cast<size_t>(i)]).dtype;
    const Tensor& tensor = given.emplace_back(c.in("arguments", i).to(dtype));
    const auto at = static_cast<size_t>(i);
    const bool sequence = at >= scan.carries && at < scan.carries + scan.sequences;
    if (sequence) check_steps(scan, at, tensor.dims().front(), c.integer("length"));
    dims.emplace_back(tensor.dims().begin() + (sequence ? 1 : 0), tensor.dims().end());
  }
  const Graph sized = SizedBody(scan.body, dims).take();
  std::vector<Dims> made;
  for (const Output& output : sized.outputs()) made.push_back(numbers(sized.value(output.value)));
  check_carries(scan, dims, made);
  StepEvaluation step(sized);
  const int64_t length = c.integer("length");
  std::vector<Tensor> inputs = given;
  for (int64_t n = 0; n < length; ++n) {
    const int64_t at = c.flag("reverse") ? length - 1 - n : n;
    for (size_t i = scan.carries; i < scan.carries + scan.sequences; ++i)
      inputs[i] = element(given[i], at);
    const std::vector<Tensor> outputs = step.run(inputs);
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (k < scan.carries)
        inputs[k] = outputs[k];
      else
        write(c, static_cast<int>(k), outputs[k], at * outputs[k].size());
    }
  }
  for (size_t k = 0; k < scan.carries; ++k) write(c, static_cast<int>(k), inputs[k], 0);
}

}  // namespace mithril
