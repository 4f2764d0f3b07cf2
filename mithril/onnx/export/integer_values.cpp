#include "mithril/onnx/export/integer_values.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/integer_range.hpp"

namespace mithril::onnx {
namespace {

bool is_byte(DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; }

IntegerValues values_of(DType dtype) {
  const IntegerRange range = integer_range(dtype);
  return {.least = range.least, .most = range.above - 1};
}

std::optional<IntegerValues> values_of(const Tensor& tensor) {
  IntegerValues made{.elements = tensor.host().to(DType::float64)};
  for (const double number : made.elements->values<double>()) {
    if (std::trunc(number) != number) return std::nullopt;  // also NaN
    made.least = std::min(made.least, number);
    made.most = std::max(made.most, number);
  }
  return made;
}

bool is_one_number(const Value& value) {
  return value.ranked && std::all_of(value.dims.begin(), value.dims.end(),
                                     [](const Dim& dim) { return resolve(dim).is_constant(1); });
}

const ValueId& first_tensor(const Node& node) { return *tensor_of(node.arguments.front()); }

// Ops whose elements are those of their first input.
bool moves(const std::string& op) {
  return op == "buffer" || op == "reshape" || op == "expand_dims" || op == "squeeze" ||
         op == "transpose";
}

}  // namespace

double IntegerValues::largest(const Graph& graph) const {
  const IntegerValues zeros = zero ? values_of(graph.value(*zero).dtype) : IntegerValues{};
  return std::max(std::abs(least - zeros.most), std::abs(most - zeros.least));
}

IntegerAnalysis::IntegerAnalysis(const Graph& graph) : graph_(graph) {
  for (const Node& node : graph.nodes())
    for (const ValueId id : node.outputs) producers_.emplace(id, &node);
  for (const Constant& constant : graph.constants())
    constants_.emplace(constant.value, &constant.tensor);
}

const Node* IntegerAnalysis::producer(ValueId id) const {
  const auto at = producers_.find(id);
  return at == producers_.end() ? nullptr : at->second;
}

// Computes what reads constants only. Passes leave it in the graph if the result is larger than
// the constants.
std::optional<Tensor> IntegerAnalysis::folded(ValueId id) const {
  if (const auto at = constants_.find(id); at != constants_.end()) return *at->second;
  const Node* node = producer(id);
  if (!node) return std::nullopt;
  const std::string& op = node->op->name;
  if (!moves(op) && op != "cast" && op != "subtract") return std::nullopt;
  Graph alone;
  Node copy{node->op, node->arguments, {}};
  for (Argument& argument : copy.arguments) {
    const ValueId* from = tensor_of(argument);
    if (!from) continue;
    const std::optional<Tensor> tensor = folded(*from);
    if (!tensor) return std::nullopt;
    argument = alone.add_constant(graph_.value(*from).name, *tensor);
  }
  copy.outputs = {alone.add_value(graph_.value(id))};
  alone.add_output(graph_.value(id).name, copy.outputs.front());
  alone.add_node(std::move(copy));
  return interpret(alone, {}).front();
}

std::optional<IntegerValues> IntegerAnalysis::values(ValueId id) const {
  if (const std::optional<Tensor> tensor = folded(id)) return values_of(*tensor);
  const Node* node = producer(id);
  if (!node) return std::nullopt;
  const std::string& op = node->op->name;
  if (op == "subtract") return difference(*node);
  if (op != "cast") return moved(*node);
  const ValueId from = first_tensor(*node);
  if (!is_byte(graph_.value(from).dtype)) return std::nullopt;
  IntegerValues made = values_of(graph_.value(from).dtype);
  if (graph_.value(from).dtype == DType::uint8) made.bytes = from;
  return made;
}

// The right side is a zero point.
std::optional<IntegerValues> IntegerAnalysis::difference(const Node& node) const {
  const ValueId *left = tensor_of(node.arguments[0]), *right = tensor_of(node.arguments[1]);
  std::optional<IntegerValues> made = left ? values(*left) : std::nullopt;
  if (!made || made->zero || made->elements || !right) return std::nullopt;
  if (const std::optional<Tensor> known = folded(*right)) {
    const std::optional<IntegerValues> zeros = values_of(*known);
    const bool is_one = zeros && zeros->elements->size() == 1;
    if (!zeros) return std::nullopt;
    const double least = made->least - (is_one ? zeros->elements->at_as_double(0) : zeros->most);
    const double most = made->most - (is_one ? zeros->elements->at_as_double(0) : zeros->least);
    if (!is_one || least > 0) made->bytes.reset();
    made->least = std::min(0.0, least);
    made->most = std::max(0.0, most);
    return made;
  }
  const Node* cast = producer(*right);
  if (!cast || cast->op->name != "cast" || !is_one_number(graph_.value(*right)))
    return std::nullopt;
  made->zero = first_tensor(*cast);
  const bool has_rank = graph_.value(*right).dims.size() <= graph_.value(*left).dims.size();
  if (!has_rank || !is_byte(graph_.value(*made->zero).dtype)) return std::nullopt;
  return made;
}

std::optional<IntegerValues> IntegerAnalysis::moved(const Node& node) const {
  const std::string& op = node.op->name;
  const auto known = [&](std::size_t i) {
    const ValueId* id = tensor_of(node.arguments[i]);
    return !id || constants_.contains(*id);
  };
  const auto is_zero = [](const Datum& datum) {
    if (datum.kind() == kind::int_value) return resolve(datum.dim()).is_constant(0);
    return datum.kind() == kind::float_value && datum.real() == 0;
  };
  const bool pads =
      op == "pad" && is_zero(std::get<Datum>(node.arguments[node.argument_index("value")]));
  const bool gathers = op == "gather" && known(1);
  if (!moves(op) && !pads && !gathers) return std::nullopt;
  std::optional<IntegerValues> made = values(first_tensor(node));
  if (!made) return std::nullopt;
  made->bytes.reset();
  if (!pads || !made->zero) return made;
  const IntegerValues zeros = values_of(graph_.value(*made->zero).dtype);  // x + zero of padding
  made->least = std::min(made->least, zeros.least);
  made->most = std::max(made->most, zeros.most);
  return made;
}

}  // namespace mithril::onnx
