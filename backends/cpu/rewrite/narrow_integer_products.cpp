#include "backends/cpu/rewrite/narrow_integer_products.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/cpu/rewrite/integer_product_ops.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::cpu_backend {
namespace {

// A constant may be int16. The sum of two of its products fits in int32.
constexpr double largest_constant = INT16_MAX;
// The largest difference of two numbers of one 8-bit dtype.
constexpr double largest_difference = 255;

// An operand of float64 whose elements are integers.
struct IntegerOperand {
  ValueId numbers;                      // in the new graph: int8, uint8, or a constant of int16
  std::optional<ValueId> zero;          // in the new graph: the scalar zero point; none: 0
  double largest = largest_difference;  // of the absolute values
};

bool is_byte(DType dtype) { return dtype == DType::int8 || dtype == DType::uint8; }

std::optional<int64_t> constant(const Dim& dim) {
  const Dim known = resolve(dim);
  return known.is_constant() ? std::optional(known.constant()) : std::nullopt;
}

// Whether the value has one element.
bool is_one_number(const Value& value) {
  return value.ranked && std::all_of(value.dims.begin(), value.dims.end(),
                                     [](const Dim& dim) { return constant(dim) == 1; });
}

// The largest absolute value; none if an element is not an integer.
std::optional<double> largest_integer(const Tensor& tensor) {
  double largest = 0;
  for (const double number : tensor.values<double>()) {
    if (std::trunc(number) != number) return std::nullopt;  // also NaN
    largest = std::max(largest, std::abs(number));
  }
  return largest;
}

class IntegerProducts {
 public:
  explicit IntegerProducts(const Graph& graph) : from_(graph), rebuilder_(graph) {
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) producers_.emplace(id, &node);
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) ++reads_[*id];
      }
    }
    for (const Output& output : graph.outputs()) ++reads_[output.value];
    for (const Constant& constant : graph.constants()) {
      constants_.emplace(constant.value, &constant.tensor);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      if (node.op == &matmul_ && multiply(node)) continue;
      if (node.op == &conv2d_ && convolve(node)) continue;
      if (node.op == &cast_ && cast(node)) continue;
      if (node.op == &add_ && add_bias(node)) continue;
      rebuilder_.keep(node);
    }
    return rebuilder_.finish();
  }

 private:
  const Node* producer(ValueId id, const OpDef& op) const {
    const auto at = producers_.find(id);
    return at != producers_.end() && at->second->op == &op ? at->second : nullptr;
  }

  bool is_double(const Argument& argument) const {
    const ValueId* id = tensor_of(argument);
    return id && from_.value(*id).dtype == DType::float64;
  }

  // Folds nodes that only read constants. Constant folding leaves them for large weights, because
  // it does not keep a result that is larger than its operands.
  std::optional<Tensor> folded(ValueId id) const {
    if (const auto at = constants_.find(id); at != constants_.end()) return *at->second;
    const auto at = producers_.find(id);
    if (at == producers_.end()) return std::nullopt;
    const OpDef* op = at->second->op;
    if (op != &cast_ && op != &subtract_ && op != &buffer_ && op != &reshape_) return std::nullopt;
    Graph alone;
    Node copy{op, at->second->arguments, {}};
    for (Argument& argument : copy.arguments) {
      const ValueId* from = tensor_of(argument);
      if (!from) continue;
      const auto tensor = folded(*from);
      if (!tensor) return std::nullopt;
      argument = alone.add_constant(from_.value(*from).name, *tensor);
    }
    copy.outputs = {alone.add_value(from_.value(id))};
    alone.add_output(from_.value(id).name, copy.outputs.front());
    alone.add_node(std::move(copy));
    return interpret(alone, {}).front();
  }

  // The 8-bit operand of a cast to float64, in the old graph.
  std::optional<ValueId> bytes_of(const Argument& argument) const {
    const ValueId* id = tensor_of(argument);
    const Node* node = id ? producer(*id, cast_) : nullptr;
    const ValueId* bytes = node ? tensor_of(node->arguments.front()) : nullptr;
    return bytes && is_byte(from_.value(*bytes).dtype) ? std::optional(*bytes) : std::nullopt;
  }

  // A float64 constant as int16, or as int32 for a bias; none if the dtype does not hold it.
  std::optional<IntegerOperand> integer_constant(const Argument& argument, DType dtype) {
    const ValueId* id = tensor_of(argument);
    if (!id || from_.value(*id).dtype != DType::float64) return std::nullopt;
    const auto known = converted_.find({*id, dtype});
    if (known != converted_.end()) return known->second;
    const std::optional<Tensor> tensor = folded(*id);
    if (!tensor) return std::nullopt;
    const Tensor host = tensor->host();
    const std::optional<double> largest = largest_integer(host);
    const double most = dtype == DType::int16 ? largest_constant : double{INT32_MAX};
    if (!largest || *largest > most) return std::nullopt;
    const std::string name = from_.value(*id).name + ".as_" + std::string(mithril::name(dtype));
    const IntegerOperand made{rebuilder_.graph().add_constant(name, host.to(dtype)), {}, *largest};
    converted_.emplace(std::pair(*id, dtype), made);
    return made;
  }

  // A scalar zero point.
  std::optional<IntegerOperand> zero_of(const Argument& argument) {
    const ValueId* id = tensor_of(argument);
    if (!id || !is_one_number(from_.value(*id))) return std::nullopt;
    if (const auto bytes = bytes_of(argument)) return IntegerOperand{rebuilder_.map(*bytes), {}};
    const auto known = integer_constant(argument, DType::int16);
    return known && known->largest <= largest_difference ? known : std::nullopt;
  }

  // A cast of 8-bit integers, or its difference with a zero point.
  std::optional<IntegerOperand> byte_operand(const Argument& argument) {
    if (const auto bytes = bytes_of(argument)) return IntegerOperand{rebuilder_.map(*bytes), {}};
    const ValueId* id = tensor_of(argument);
    const Node* difference = id ? producer(*id, subtract_) : nullptr;
    if (!difference) return std::nullopt;
    const auto bytes = bytes_of(difference->arguments[0]);
    const auto zero = bytes ? zero_of(difference->arguments[1]) : std::nullopt;
    if (!zero || from_.value(*bytes).dims.size() != from_.value(*id).dims.size())
      return std::nullopt;
    // The zero point may be of the other 8-bit dtype.
    return IntegerOperand{rebuilder_.map(*bytes), zero->numbers, 2 * largest_difference};
  }

  std::optional<IntegerOperand> operand(const Argument& argument) {
    if (const auto known = integer_constant(argument, DType::int16)) return known;
    return byte_operand(argument);
  }

  static Argument argument_of(const std::optional<ValueId>& id) {
    return id ? Argument(*id) : Argument(Datum());
  }

  // Whether int32 holds all sums of this many products.
  static bool fits(const IntegerOperand& left, const IntegerOperand& right,
                   std::optional<int64_t> depth, double bias = 0) {
    return depth && left.largest * right.largest * static_cast<double>(*depth) + bias <= INT32_MAX;
  }

  bool multiply(const Node& node) {
    const Argument &left_side = node.arguments[0], &right_side = node.arguments[1];
    if (!is_double(left_side) || !is_double(right_side)) return false;
    const auto left = byte_operand(left_side);
    const auto right = left ? operand(right_side) : std::nullopt;
    if (!right) return false;
    const Value& value = from_.value(*tensor_of(right_side));
    if (!value.ranked || value.dims.size() < 2) return false;
    if (!fits(*left, *right, constant(value.dims[value.dims.size() - 2]))) return false;
    replace(node,
            {&integer_matmul(),
             {left->numbers, right->numbers, argument_of(left->zero), argument_of(right->zero)},
             {}});
    return true;
  }

  bool convolve(const Node& node) {
    const size_t bias_at = node.argument_index("bias");
    if (!is_double(node.arguments[0]) || !is_double(node.arguments[1])) return false;
    const auto weight = integer_constant(node.arguments[1], DType::int16);
    const auto input = weight ? byte_operand(node.arguments[0]) : std::nullopt;
    if (!input) return false;
    const bool has_bias = tensor_of(node.arguments[bias_at]) != nullptr;
    std::optional<IntegerOperand> bias;
    if (has_bias) {
      bias = integer_constant(node.arguments[bias_at], DType::int32);
      if (!bias) return false;
    }
    const std::vector<Dim>& dims = from_.value(*tensor_of(node.arguments[1])).dims;
    int64_t depth = 1;
    for (size_t i = 1; i < dims.size(); ++i) depth *= constant(dims[i]).value_or(0);
    if (depth == 0 || constant(dims.front()).value_or(0) == 0) return false;
    if (!fits(*input, *weight, depth, bias ? bias->largest : 0)) return false;
    Node made = rebuilder_.map_arguments(node);
    made.op = &integer_conv2d();
    made.arguments[0] = input->numbers;
    made.arguments[1] = weight->numbers;
    if (bias) made.arguments[bias_at] = bias->numbers;
    made.arguments.push_back(argument_of(input->zero));
    replace(node, std::move(made));
    return true;
  }

  // Adds the product, and a cast to float64 for the readers of the node.
  void replace(const Node& node, Node product) {
    const ValueId old = node.outputs.front();
    Value value = from_.value(old);
    value.name += ".as_int32";
    value.dtype = DType::int32;
    const ValueId made = rebuilder_.graph().add_value(std::move(value));
    product.outputs = {made};
    if (product.op == &integer_conv2d() && reads_[old] == 1) convolutions_.emplace(made, product);
    rebuilder_.graph().add_node(std::move(product));
    products_.emplace(old, made);
    rebuilder_.add({&cast_, {made, Datum(DType::float64)}, {}}, node.outputs);
  }

  // Casts a product directly. float64 holds every int32, so the result is the same.
  bool cast(const Node& node) {
    const ValueId* id = tensor_of(node.arguments.front());
    const auto product = id ? products_.find(*id) : products_.end();
    if (product == products_.end()) return false;
    const ValueId made = product->second, old = node.outputs.front();
    const DType dtype = from_.value(old).dtype;
    const bool wraps = is_integer(dtype) && dtype != DType::int32 && dtype != DType::int64;
    if (wraps && is_double(node.arguments.front())) return false;
    if (dtype == DType::int32) {
      products_.emplace(old, made);
      rebuilder_.replace(old, made);
    } else {
      rebuilder_.add({&cast_, {made, Datum(dtype)}, {}}, node.outputs);
    }
    return true;
  }

  // Adds numbers of int32, one for each output channel, to a convolution that nothing else reads.
  // Both sums wrap.
  bool add_bias(const Node& node) {
    for (const size_t side : {0, 1}) {
      const ValueId *product = tensor_of(node.arguments[side]),
                    *bias = tensor_of(node.arguments[1 - side]);
      if (!product || !bias || reads_[*product] != 1) continue;
      const auto made = products_.find(*product);
      const auto known =
          made == products_.end() ? convolutions_.end() : convolutions_.find(made->second);
      if (known == convolutions_.end() || !are_channels(*bias, node.outputs.front())) continue;
      const Dim channels = from_.value(*bias).dims[1];
      Node convolution = known->second;
      const size_t at = convolution.argument_index("bias");
      if (tensor_of(convolution.arguments[at])) continue;
      Graph& graph = rebuilder_.graph();
      convolution.arguments[at] =
          graph
              .add(reshape_, {rebuilder_.map(*bias), Datum(Tuple{Datum(channels)})},
                   from_.value(*bias).name + ".of_channels")
              .front();
      convolution.outputs.clear();
      rebuilder_.add(std::move(convolution), node.outputs);
      products_.emplace(node.outputs.front(), rebuilder_.map(node.outputs.front()));
      return true;
    }
    return false;
  }

  // Whether `bias` has int32 numbers [1, C, 1, 1] for a sum of int32 [N, C, H, W].
  bool are_channels(ValueId bias, ValueId sum) const {
    const Value &numbers = from_.value(bias), &all = from_.value(sum);
    if (numbers.dtype != DType::int32 || all.dtype != DType::int32 || numbers.dims.size() != 4 ||
        all.dims.size() != 4)
      return false;
    for (const size_t axis : {0, 2, 3}) {
      if (constant(numbers.dims[axis]) != 1) return false;
    }
    const auto channels = constant(numbers.dims[1]);
    return channels && channels == constant(all.dims[1]);
  }

  const OpDef &matmul_ = find_op("matmul"), &conv2d_ = find_op("conv2d"), &cast_ = find_op("cast"),
              &subtract_ = find_op("subtract"), &add_ = find_op("add"),
              &buffer_ = find_op("buffer"), &reshape_ = find_op("reshape");
  const Graph& from_;
  Rebuilder rebuilder_;
  std::unordered_map<ValueId, const Node*> producers_;
  std::unordered_map<ValueId, const Tensor*> constants_;
  std::map<std::pair<ValueId, DType>, IntegerOperand> converted_;
  std::unordered_map<ValueId, ValueId> products_;   // int32 sums, per value of the old graph
  std::unordered_map<ValueId, Node> convolutions_;  // per output
  std::unordered_map<ValueId, int> reads_;          // per value of the old graph: how many readers
};

}  // namespace

Graph narrow_integer_products(Graph graph) {
  const OpDef &matmul = find_op("matmul"), &conv2d = find_op("conv2d");
  const bool any = std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    return (node.op == &matmul || node.op == &conv2d) &&
           graph.value(node.outputs.front()).dtype == DType::float64;
  });
  if (!any) return graph;
  return IntegerProducts(graph).run();
}

}  // namespace mithril::cpu_backend
