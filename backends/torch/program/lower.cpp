// Lowers each node to torch operators, as its record spells it.
#include <algorithm>
#include <bit>
#include <map>

#include "backends/torch/device/dtypes.hpp"
#include "backends/torch/program/program.hpp"
#include "mithril/graph/half_precision.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::torch_backend {
namespace {

// Thrown if the record says that torch does not support this form of the op.
struct Unsupported {};

class NodeLowering {
 public:
  NodeLowering(const Graph& graph, const PlannedNode& node, const std::vector<Dims>& dims,
               const Target& target)
      : graph_(graph),
        node_(node),
        dims_(dims),
        dtype_(graph.value(node.outputs.front()).dtype),
        made_{scalar_type(dtype_), target.device},
        channels_last_(target.channels_last),
        next_(static_cast<int>(graph.values().size())) {
    for (const int32_t at : node.tensors) arguments_.push_back(at);
  }

  LoweredNode run() {
    const Spelling* spelling = node_.op->spelling("torch");
    if (!spelling) return on_host();
    lowered_.spelling = spelled(*spelling, context());
    if (node_.op->collective) {
      lowered_.exchange = exchange_part(parse_spelling(lowered_.spelling).text);
      return std::move(lowered_);
    }
    try {
      const SpelledExpression expression = parse_spelling(lowered_.spelling);
      compute(expression);
      if (rounds_in_between()) compute_in_float32(expression);
    } catch (const Unsupported&) {
      return on_host();
    }
    return std::move(lowered_);
  }

  size_t registers() const { return static_cast<size_t>(next_); }

 private:
  LoweredNode on_host() const {
    MITHRIL_CHECK(node_.op->eval, "op " + node_.op->name + " has no eval: run expand_ops first");
    return {};
  }

  void compute(const SpelledExpression& expression) {
    widen();
    put_channels_last();
    finish(lower(expression));
  }

  // Torch's operators compute half precision in float32 and round their result. Where a record
  // spells several, only the last one may round. Results are converted when they are known.
  void compute_in_float32(const SpelledExpression& expression) {
    arguments_.assign(node_.tensors.begin(), node_.tensors.end());
    calls_.clear();
    lowered_.calls.clear();
    lowered_.results.clear();
    dtype_ = DType::float32;
    made_.dtype = scalar_type(dtype_);
    for (size_t at = 0; at < arguments_.size(); ++at) {
      if (arguments_[at] >= 0 && has_half_precision(value_of(at))) convert(at, dtype_);
    }
    compute(expression);
  }

  // Products keep their operands: they are large, and torch sums them in float32.
  bool rounds_in_between() const {
    if (sums_rounded_ && dtype_ == DType::float16) return true;
    return computed_ > 1 && node_.op->cast != CastPolicy::lower && computes_elements(*node_.op) &&
           has_half_precision(graph_.value(node_.outputs.front()));
  }

  SpellingContext context() const { return {*node_.op, node_.values, dims_, node_.output_dims}; }

  // Convolutions on a GPU are fastest with channels last, and keep the layout of their input. cuDNN
  // has no such kernels for float64.
  void put_channels_last() {
    if (!channels_last_ || node_.op->name != "conv2d" || dtype_ == DType::float64) return;
    constexpr int64_t channels_last = 2;  // at::MemoryFormat
    const Operand input{.kind = Operand::Kind::tensor, .registers = {arguments_.front()}};
    const std::vector<CallArgument> arguments{{"", input},
                                              {"memory_format", constant(channels_last)}};
    arguments_.front() = call("aten::contiguous", arguments).registers[0];
  }

  void widen() {
    if (node_.op->mirrors_list()) return;
    if (!widen_to_result()) widen_to_scalars();
  }

  // If the result has a higher kind than all operands (the mean of ints), computes in the dtype of
  // the result. The same holds for products of tensors of several widths, which torch refuses; a
  // bool mask is not a factor.
  bool widen_to_result() {
    const Kinds wanted = tensor_kind(dtype_);
    const bool product = node_.op->cast == CastPolicy::lower;
    std::vector<size_t> admitted;
    for (size_t port = 0, at = 0; port < node_.op->inputs.size(); ++port) {
      const CompiledPorts::Port& pattern = node_.op->compiled.ports[port];
      for (size_t n = node_.op->inputs[port].list ? list_size() : 1; n > 0; --n, ++at) {
        if (arguments_[at] < 0 || !(kinds_at(pattern) & wanted)) continue;
        const DType have = dtype_of(at);
        if (!product && tensor_kind(have) >= wanted) return false;
        if (product && have == DType::boolean) continue;
        if (have != dtype_) admitted.push_back(at);
      }
    }
    for (const size_t at : admitted) convert(at, dtype_);
    return true;
  }

  // Torch ignores the width of tensors without axes if another tensor has the same kind: it would
  // multiply a float32 vector and a float64 scalar in float32.
  void widen_to_scalars() {
    for (size_t at = 0; at < arguments_.size(); ++at) {
      if (arguments_[at] < 0 || !dims_[at].empty()) continue;
      const DType scalar = dtype_of(at);
      for (size_t other = 0; other < arguments_.size(); ++other) {
        if (arguments_[other] < 0) continue;
        const DType have = dtype_of(other), both = promote(have, scalar);
        if (tensor_kind(have) == tensor_kind(scalar) && both != have) convert(other, both);
      }
    }
  }

  const Value& value_of(size_t at) const {
    return graph_.values()[static_cast<size_t>(node_.tensors[at])];
  }
  DType dtype_of(size_t at) const { return value_of(at).dtype; }

  void convert(size_t at, DType dtype) {
    const Operand input{.kind = Operand::Kind::tensor, .registers = {arguments_[at]}};
    arguments_[at] = call("aten::to", {{"", input}, {"", constant(dtype)}}).registers[0];
  }

  Kinds kinds_at(const CompiledPorts::Port& pattern) const {
    const auto& kinds = node_.op->compiled.type_kinds;
    if (pattern.left >= 0) {
      return kinds[static_cast<size_t>(pattern.left)] | kinds[static_cast<size_t>(pattern.right)];
    }
    return pattern.type >= 0 ? kinds[static_cast<size_t>(pattern.type)] : pattern.kinds;
  }

  size_t list_size() const { return node_.values.size() + 1 - node_.op->inputs.size(); }

  static Operand constant(Datum datum) { return {.constant = std::move(datum)}; }

  Operand lower(const SpelledExpression& expression) {
    using Kind = SpelledExpression::Kind;
    switch (expression.kind) {
      case Kind::port:
        return port(expression.text);
      case Kind::call:
        return lower_call(expression);
      case Kind::list:
        return list(expression);
      case Kind::item:
        return item(expression);
      case Kind::member:
        return member(expression);
      case Kind::number:
        return number(expression.text);
      case Kind::text:
        return constant(expression.text);
      case Kind::flag:
        return constant(expression.number != 0);
      case Kind::none:
        return constant(None{});
      case Kind::equal:
        return constant(same(value(expression.children[0]), value(expression.children[1])));
      case Kind::choice:
        return lower(expression.children[is_true(expression.children[0]) ? 1 : 2]);
      case Kind::unsupported:
        break;
    }
    throw Unsupported{};
  }

  struct ArgumentRange {
    size_t first = 0, count = 1;
    bool list = false;
  };

  ArgumentRange arguments_of(const std::string& name) const {
    size_t at = 0;
    for (const PortDef& input : node_.op->inputs) {
      const size_t count = input.list ? list_size() : 1;
      if (input.name == name) return {at, count, input.list};
      at += count;
    }
    MITHRIL_CHECK(false, "the spelling of " + node_.op->name + " names no port: '" + name + "'");
    return {};
  }

  Operand port(const std::string& name) const {
    const ArgumentRange at = arguments_of(name);
    if (!at.list) return argument(at.first);
    Operand items{.kind = Operand::Kind::tensors};
    for (size_t i = 0; i < at.count; ++i) items.registers.push_back(arguments_[at.first + i]);
    return items;
  }

  Operand argument(size_t at) const {
    if (arguments_[at] < 0) return constant(node_.values[at]);
    return {.kind = Operand::Kind::tensor, .registers = {arguments_[at]}};
  }

  Operand lower_call(const SpelledExpression& expression) {
    std::vector<CallArgument> arguments;
    for (size_t i = 0; i < expression.children.size(); ++i) {
      arguments.push_back({expression.keywords[i], lower(expression.children[i])});
    }
    return call(expression.text, arguments);
  }

  // Several results use several registers. A list uses one, from which items are taken.
  // Equal calls are one: spellings repeat what they read several times.
  Operand call(const std::string& name, const std::vector<CallArgument>& arguments) {
    const std::string key = key_of(name, arguments);
    const auto [at, added] = calls_.try_emplace(key);
    if (added) at->second = add_call(name, arguments);
    list_ = at->second.list;
    return at->second.result;
  }

  static std::string key_of(const std::string& name, const std::vector<CallArgument>& arguments) {
    std::string key = name;
    for (const auto& [keyword, operand] : arguments) {
      key += "|" + keyword + "=" + std::to_string(static_cast<int>(operand.kind));
      for (const int at : operand.registers) key += "#" + std::to_string(at);
      if (operand.kind != Operand::Kind::constant) continue;
      // A double has more digits than its text.
      const bool is_real = operand.constant.kind() == kind::float_value;
      key += is_real ? std::to_string(std::bit_cast<int64_t>(operand.constant.real())) + "f"
                     : to_string(operand.constant);
    }
    return key;
  }

  struct MadeCall {
    Operand result = {};
    int list = -1;  // the register of the list that it returns
  };

  MadeCall add_call(const std::string& name, const std::vector<CallArgument>& arguments) {
    OperatorCall operator_call{resolve(name, arguments, made_), next_};
    Operand result{.kind = operator_call.call.results == 1 && !operator_call.call.makes_list
                               ? Operand::Kind::tensor
                               : Operand::Kind::tensors};
    for (size_t i = 0; i < operator_call.call.results; ++i) result.registers.push_back(next_++);
    const int list = operator_call.call.makes_list ? result.registers[0] : -1;
    computed_ += !moves_elements(name);
    sums_rounded_ = sums_rounded_ || (made_.device.is_cpu() && sums_rounded_terms(name));
    lowered_.calls.push_back(std::move(operator_call));
    return {result, list};
  }

  Operand list(const SpelledExpression& expression) {
    Operand items{.kind = Operand::Kind::tensors};
    Tuple constants;
    for (const SpelledExpression& child : expression.children) {
      const Operand operand = lower(child);
      if (operand.kind == Operand::Kind::constant)
        constants.push_back(operand.constant);
      else
        items.registers.push_back(operand.registers.at(0));
    }
    return items.registers.empty() ? constant(Datum(std::move(constants))) : items;
  }

  Operand item(const SpelledExpression& expression) {
    const Operand whole = lower(expression.children[0]);
    const auto at = static_cast<size_t>(expression.number);
    if (whole.kind == Operand::Kind::constant) return constant(whole.constant.tuple().at(at));
    return {.kind = Operand::Kind::tensor, .registers = {whole.registers.at(at)}};
  }

  Operand member(const SpelledExpression& expression) const {
    const std::string& of = expression.children[0].text;
    const bool output = of == "output";
    if (expression.text == "dtype") {
      return constant(output ? dtype_ : graph_.values()[static_cast<size_t>(tensor(of))].dtype);
    }
    if (expression.text == "dtype_name") {
      MITHRIL_CHECK(output, "a spelling asks for the name of an input's dtype");
      return constant(Datum(std::string(name(dtype_))));
    }
    if (expression.text == "kind") return constant(output ? kind_name(dtype_) : kind_of_port(of));
    const Dims& dims = output ? node_.output_dims.front() : dims_[arguments_of(of).first];
    if (expression.text == "ndim") return constant(static_cast<int64_t>(dims.size()));
    MITHRIL_CHECK(expression.text == "shape", "a spelling asks for ." + expression.text);
    return constant(Datum::ints(dims));
  }

  static const char* kind_name(DType dtype) {
    if (is_floating(dtype)) return "float";
    return dtype == DType::boolean ? "bool" : "int";
  }

  const char* kind_of_port(const std::string& name) const {
    const size_t at = arguments_of(name).first;
    if (node_.tensors[at] >= 0) {
      return kind_name(graph_.values()[static_cast<size_t>(node_.tensors[at])].dtype);
    }
    const Kinds kinds = node_.values[at].kind();
    return kinds == kind::bool_value ? "bool" : kinds == kind::int_value ? "int" : "float";
  }

  int32_t tensor(const std::string& name) const {
    const int32_t at = node_.tensors[arguments_of(name).first];
    MITHRIL_CHECK(at >= 0, "the spelling of " + node_.op->name + " takes a value for a tensor");
    return at;
  }

  static Operand number(const std::string& text) {
    if (text.find_first_of(".e") == std::string::npos) {
      return constant(static_cast<int64_t>(std::stoll(text)));
    }
    return constant(std::stod(text));
  }

  Datum value(const SpelledExpression& expression) {
    const Operand operand = lower(expression);
    // The only question about a tensor is whether it is None, and it is not.
    return operand.kind == Operand::Kind::constant ? operand.constant : Datum("a tensor");
  }

  bool is_true(const SpelledExpression& condition) {
    const Datum known = value(condition);
    return known.kind() == kind::bool_value && known.flag();
  }

  void finish(const Operand& made) {
    for (size_t i = 0; i < node_.outputs.size(); ++i) {
      Result result{.value = node_.outputs[i],
                    .dtype = scalar_type(graph_.value(node_.outputs[i]).dtype)};
      const bool of_list = made.kind == Operand::Kind::tensors && made.registers[0] == list_;
      if (made.kind == Operand::Kind::constant) {
        result.from = fill(made.constant);
      } else if (of_list) {
        result.from = list_;
        result.item = static_cast<int>(i);
      } else {
        result.from = made.registers.at(i);
      }
      lowered_.results.push_back(result);
    }
  }

  // A number where a tensor is expected, as for the op buffer of a literal.
  int fill(const Datum& number) {
    const Operand shape = constant(Datum::ints(node_.output_dims.front()));
    return call("aten::full", {{"", shape}, {"", constant(number)}}).registers[0];
  }

  const Graph& graph_;
  const PlannedNode& node_;
  const std::vector<Dims>& dims_;   // per argument; empty for values
  std::vector<int32_t> arguments_;  // the registers of tensors; negative for values
  DType dtype_;
  Made made_;
  const bool channels_last_;
  int next_;
  int list_ = -1;     // the register of the last list
  int computed_ = 0;  // calls that compute elements
  bool sums_rounded_ = false;
  std::map<std::string, MadeCall> calls_;
  LoweredNode lowered_;
};

}  // namespace

LoweredNode lower(const Graph& graph, const PlannedNode& node, const std::vector<Dims>& arguments,
                  const Target& target, size_t& registers) {
  NodeLowering lowering(graph, node, arguments, target);
  LoweredNode lowered = lowering.run();
  registers = std::max(registers, lowering.registers());
  return lowered;
}

}  // namespace mithril::torch_backend
