#include "backends/torch/rewrite/cuda_epilogues.hpp"

#include <algorithm>
#include <unordered_map>

#include "mithril/base/error.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/window_spelling.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::torch_backend {
namespace {

std::string spell_linear_with_activation(const SpellingContext& c) {
  const std::string& activation = c.value("activation").text();
  const Dims& input = c.dims("input");
  if (element_count(c.out()) == 0 || element_count(input) == 0) {
    const std::string linear = "aten::linear(input, weight, bias)";
    return activation == "relu" ? spell_call("aten::relu", {linear})
                                : spell_call("aten::gelu", {linear, "approximate=\"tanh\""});
  }
  const int64_t width = input.back(), rows = element_count(input) / width;
  const bool is_matrix = input.size() == 2;
  const std::string left = is_matrix ? "input" : spell_reshape("input", {rows, width});
  const std::string made = spell_call(
      "aten::_addmm_activation",
      {"bias", left, "aten::t(weight)", activation == "gelu" ? "use_gelu=True" : "use_gelu=False"});
  return is_matrix ? made : spell_reshape(made, c.out());
}

std::string spell_convolution_with_relu(const SpellingContext& c) {
  const auto [input, padding] = spelled_convolution(c);
  const std::vector<std::string> geometry{"bias", spell_pair(c.value("stride")), padding,
                                          spell_pair(c.value("dilation")), "groups"};
  const bool adds = !c.dims("addend").empty();
  std::vector<std::string> arguments{input, "weight"};
  if (adds) arguments.insert(arguments.end(), {"addend", "1.0"});
  arguments.insert(arguments.end(), geometry.begin(), geometry.end());
  return spell_call(adds ? "aten::cudnn_convolution_add_relu" : "aten::cudnn_convolution_relu",
                    arguments);
}

OpDef extended(const char* from, PortDef port, std::string (*spell)(const SpellingContext&)) {
  OpDef op = find_op(from);
  op.inputs.push_back(std::move(port));
  op.eval = [](EvalContext& c) { MITHRIL_CHECK(false, c.op_name() + " for a GPU alone ran here"); };
  op.spell = {{"torch", "a product and what follows it, as one operator", spell}};
  compile_patterns(op);
  return op;
}

class UseCudaEpilogues {
 public:
  UseCudaEpilogues(const Graph& graph, const Observer* observer)
      : from_(graph), observer_(observer), rebuilder_(graph), counts_(use_counts(graph)) {
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) producers_[id] = &node;
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      if (!write(node)) rebuilder_.keep(node);
    }
    return rebuilder_.finish();
  }

 private:
  bool write(const Node& node) {
    const bool relu = node.op->name == "relu";
    if (!relu && !is_gelu_by_tanh(node)) return false;
    const Argument& input = node.arguments[0];
    if (const Node* linear = product(input, "linear")) {
      if (!tensor_of(linear->arguments[linear->argument_index("bias")])) return false;
      return replace(node, *linear, cuda_linear(), Datum(std::string(relu ? "relu" : "gelu")));
    }
    if (!relu) return false;
    if (const Node* convolution = convolution_of(input))
      return replace(node, *convolution, cuda_conv2d(), None{});
    const Node* sum = maker(input, "add");
    if (!sum) return false;
    for (const size_t at : {0, 1}) {
      const Node* convolution = convolution_of(sum->arguments[at]);
      const ValueId* addend = tensor_of(sum->arguments[1 - at]);
      if (!convolution || !addend || !is_alike(*addend, convolution->outputs[0])) continue;
      return replace(node, *convolution, cuda_conv2d(), rebuilder_.map(*addend));
    }
    return false;
  }

  // The product before is no longer read, and removed.
  bool replace(const Node& node, const Node& product, const OpDef& op, Argument more) {
    Node mapped = rebuilder_.map_arguments(product);
    mapped.op = &op;
    mapped.arguments.push_back(std::move(more));
    rebuilder_.add(std::move(mapped), node.outputs);
    return true;
  }

  static bool is_gelu_by_tanh(const Node& node) {
    if (node.op->name != "gelu") return false;
    return std::get<Datum>(node.arguments[node.argument_index("approximate")]).flag();
  }

  const Node* maker(const Argument& argument, const char* op) const {
    const ValueId* id = tensor_of(argument);
    const auto at = id ? producers_.find(*id) : producers_.end();
    if (at == producers_.end() || at->second->op->name != op) return nullptr;
    const bool is_seen = observer_ && observer_->wants(*at->second);
    return counts_[index(*id)] == 1 && !is_seen ? at->second : nullptr;
  }

  const Node* product(const Argument& argument, const char* op) const {
    const Node* node = maker(argument, op);
    if (!node) return nullptr;
    const DType dtype = from_.value(node->outputs[0]).dtype;
    const bool fits =
        dtype != DType::float64 && is_floating(dtype) &&
        std::all_of(node->arguments.begin(), node->arguments.end(), [&](const Argument& each) {
          const ValueId* id = tensor_of(each);
          return !id || from_.value(*id).dtype == dtype;
        });
    return fits ? node : nullptr;
  }

  // Torch needs at least one channel on both sides.
  const Node* convolution_of(const Argument& argument) const {
    const Node* node = product(argument, "conv2d");
    if (!node) return nullptr;
    const Value& weight = from_.value(*tensor_of(node->arguments[1]));
    const bool has_channels =
        weight.ranked && std::all_of(weight.dims.begin(), weight.dims.end(), [](const Dim& dim) {
          return dim.is_constant() && dim.constant() > 0;
        });
    return has_channels ? node : nullptr;
  }

  bool is_alike(ValueId a, ValueId b) const {
    const Value &left = from_.value(a), &right = from_.value(b);
    return left.ranked && right.ranked && left.dtype == right.dtype &&
           std::equal(left.dims.begin(), left.dims.end(), right.dims.begin(), right.dims.end(),
                      [](const Dim& x, const Dim& y) { return same(x, y); });
  }

  const Graph& from_;
  const Observer* observer_;
  Rebuilder rebuilder_;
  const std::vector<int> counts_;
  std::unordered_map<ValueId, const Node*> producers_;
};

}  // namespace

const OpDef& cuda_linear() {
  static const OpDef op =
      extended("linear", value("activation", "str"), spell_linear_with_activation);
  return op;
}

const OpDef& cuda_conv2d() {
  static const OpDef op =
      extended("conv2d", optional("addend", "N Co Ho Wo", "float"), spell_convolution_with_relu);
  return op;
}

Graph use_cuda_epilogues(const Graph& graph, const Observer* observer) {
  return UseCudaEpilogues(graph, observer).run();
}

}  // namespace mithril::torch_backend
