#include "backends/torch/onednn.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::torch_backend {
namespace {

// Multiplications and additions below which a call of oneDNN costs more than it saves, measured
// for weights as they are (benchmarks/torch_products.py).
constexpr double worthwhile = 5e7;
// Elements of a weight from which on packing it pays.
constexpr int64_t worth_packing = 1 << 17;

std::string quoted(const std::string& text) { return '"' + text + '"'; }

// An empty algorithm: the activation has only one.
std::string spell_onednn(const std::vector<std::string>& tensors, const std::string& activation,
                         const std::string& algorithm) {
  std::vector<std::string> arguments = tensors;
  arguments.insert(arguments.end(),
                   {quoted(activation), "[]", algorithm.empty() ? "None" : quoted(algorithm)});
  return spell_call("mkldnn::_linear_pointwise", arguments);
}

double operations(const Dims& rows, int64_t columns) {
  double count = 2.0 * static_cast<double>(columns);
  for (const int64_t size : rows) count *= static_cast<double>(size);
  return count;
}

std::string spell_linear(const SpellingContext& c) {
  const Dims& weight = c.dims("weight");
  if (c.value("packed").flag() || operations(c.dims("input"), weight[0]) >= worthwhile) {
    return spell_onednn({"input", "weight", "bias"}, c.value("activation").text(),
                        c.value("algorithm").text());
  }
  return "aten::linear(input, weight, bias)";
}

std::string spell_matmul(const SpellingContext& c) {
  if (operations(c.dims("left"), c.dims("right")[1]) >= worthwhile) {
    return spell_onednn({"left", "aten::t(right)", "None"}, "none", "");
  }
  return "aten::matmul(left, right)";
}

// A record of this library's own: the graphs that it runs hold it, and no user meets it.
OpDef derived(const char* from, std::string (*spell)(const SpellingContext&)) {
  OpDef op = find_op(from);
  op.spell = {{"torch", "oneDNN's kernel where it is large", spell}};
  return op;
}

const OpDef& linear() {
  static const OpDef op = [] {
    OpDef made = derived("linear", spell_linear);
    for (const char* port : {"activation", "algorithm"}) made.inputs.push_back(value(port, "str"));
    made.inputs.push_back(value("packed", "bool"));
    compile_patterns(made);
    return made;
  }();
  return op;
}

const OpDef& matmul() {
  static const OpDef op = derived("matmul", spell_matmul);
  return op;
}

// ---- the pass ----

// What oneDNN can do with each element at the end.
struct Activation {
  std::string name = "none", algorithm = {};
};

std::optional<Activation> activation_of(const Node& node) {
  const std::string& name = node.op->name;
  if (name == "relu" || name == "sigmoid" || name == "tanh") return Activation{name};
  if (name != "gelu") return std::nullopt;
  const auto& approximate = std::get<Datum>(node.arguments[node.argument_index("approximate")]);
  return Activation{name, approximate.flag() ? "tanh" : "none"};
}

class UseOneDnn {
 public:
  UseOneDnn(const Graph& graph, const Observer* observer)
      : from_(graph),
        observer_(observer),
        rebuilder_(graph),
        readers_(graph.values().size()),
        constant_(graph.values().size()),
        packed_(graph.values().size()),
        joined_(graph.values().size()) {
    for (const Constant& constant : graph.constants()) constant_[index(constant.value)] = true;
    for (const Output& output : graph.outputs()) ++readers_[index(output.value)];
    for (const Node& node : graph.nodes()) {
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) ++readers_[index(*id)];
      }
    }
    for (const Node& node : graph.nodes()) plan(node);
  }

  Graph run() {
    for (const Node& node : from_.nodes()) write(node);
    return rebuilder_.finish();
  }

 private:
  bool is_linear(const Node& node) const { return node.op == &linear_ && all_float32(node); }

  // Only with weights that are packed: elsewhere a graph may compute the same with an activation
  // and again without it, which would round otherwise.
  void plan(const Node& node) {
    const ValueId made = node.outputs[0];
    if (is_linear(node)) packed_[index(made)] = is_packed(node);
    if (!activation_of(node)) return;
    const ValueId* input = tensor_of(node.arguments[0]);
    const bool seen = observer_ && observer_->wants(node);
    if (!input || !packed_[index(*input)] || readers_[index(*input)] > 1 || seen) return;
    joined_[index(*input)] = &node;
  }

  void write(const Node& node) {
    const ValueId* input = node.arguments.empty() ? nullptr : tensor_of(node.arguments[0]);
    if (input && joined_[index(*input)] == &node) return;
    if (is_linear(node)) return write_linear(node);
    if (node.op == &matmul_ && all_float32(node) && is_matrix(node.arguments[1])) {
      Node mapped = rebuilder_.map_arguments(node);
      mapped.op = &matmul();
      return rebuilder_.add(std::move(mapped), node.outputs);
    }
    rebuilder_.keep(node);
  }

  void write_linear(const Node& node) {
    const Node* last = joined_[index(node.outputs[0])];
    const Activation activation = last ? *activation_of(*last) : Activation{};
    Node mapped = rebuilder_.map_arguments(node);
    mapped.op = &linear();
    mapped.arguments.emplace_back(Datum(activation.name));
    mapped.arguments.emplace_back(Datum(activation.algorithm));
    mapped.arguments.emplace_back(Datum(bool{packed_[index(node.outputs[0])]}));
    rebuilder_.add(std::move(mapped), last ? last->outputs : node.outputs);
  }

  bool is_packed(const Node& node) const {
    const ValueId weight = *tensor_of(node.arguments[1]);
    if (!constant_[index(weight)] || readers_[index(weight)] > 1) return false;
    int64_t size = 1;
    for (const Dim& dim : from_.value(weight).dims) size *= dim.constant();
    return size >= worth_packing;
  }

  bool all_float32(const Node& node) const {
    return std::all_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return !id || from_.value(*id).dtype == DType::float32;
    });
  }

  bool is_matrix(const Argument& argument) const {
    const Value& value = from_.value(*tensor_of(argument));
    return value.ranked && value.dims.size() == 2;
  }

  const OpDef &linear_ = find_op("linear"), &matmul_ = find_op("matmul");
  const Graph& from_;
  const Observer* observer_;
  Rebuilder rebuilder_;
  std::vector<int> readers_;  // per value; outputs of the graph count
  std::vector<bool> constant_, packed_;
  std::vector<const Node*> joined_;  // per value: the activation that is its only reader
};

}  // namespace

Graph use_onednn(const Graph& graph, const Observer* observer) {
  return UseOneDnn(graph, observer).run();
}

std::vector<ValueId> packed_weights(const Graph& graph) {
  std::vector<ValueId> weights;
  for (const Node& node : graph.nodes()) {
    if (node.op != &linear()) continue;
    const bool packed = std::get<Datum>(node.arguments[node.argument_index("packed")]).flag();
    if (packed) weights.push_back(*tensor_of(node.arguments[1]));
  }
  return weights;
}

}  // namespace mithril::torch_backend
