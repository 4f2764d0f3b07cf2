#include "backends/cpu/rewrite/decompose_batch_norm.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::cpu_backend {
namespace {

class BatchNormDecomposition {
 public:
  explicit BatchNormDecomposition(const Graph& graph)
      : from_(graph), rebuilder_(graph), is_made_(graph.values().size()) {
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) is_made_[index(id)] = true;
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      if (is_loop(node) && is_given(node)) operands_.emplace(&node, operands_of(node));
    }
    for (const Node& node : from_.nodes()) {
      if (is_loop(node)) {
        write(node);
      } else {
        rebuilder_.keep(node);
      }
    }
    return rebuilder_.finish();
  }

 private:
  // The operands per channel, of dims [C, 1, ...], so that they broadcast to the input.
  struct Channels {
    ValueId mean, scale;
    std::optional<ValueId> bias;
  };

  bool is_loop(const Node& node) const {
    if (node.op != &batch_norm_) return false;
    const Value& made = from_.value(node.outputs.front());
    const auto fits = [&](const Argument& argument) {
      const ValueId* id = tensor_of(argument);
      return !id || from_.value(*id).dtype == made.dtype;
    };
    return made.ranked && (made.dtype == DType::float32 || made.dtype == DType::float64) &&
           std::all_of(node.arguments.begin(), node.arguments.end(), fits);
  }

  // Whether all operands per channel are inputs or constants of the graph.
  bool is_given(const Node& node) const {
    return std::none_of(node.arguments.begin() + 1, node.arguments.end(),
                        [&](const Argument& argument) {
                          const ValueId* id = tensor_of(argument);
                          return id && is_made_[index(*id)];
                        });
  }

  ValueId add(const char* op, std::vector<Argument> arguments, const std::string& name) {
    return rebuilder_.graph().add(find_op(op), std::move(arguments), name).front();
  }

  Channels operands_of(const Node& node) {
    const auto port = [&](const char* name) {
      Argument argument = node.arguments[node.argument_index(name)];
      if (const ValueId* id = tensor_of(argument)) argument = rebuilder_.map(*id);
      return argument;
    };
    const Value& made = from_.value(node.outputs.front());
    std::vector<int64_t> axes(made.dims.size() - 2);
    std::iota(axes.begin(), axes.end(), 1);
    const auto beside = [&](const Argument& channels, const std::string& name) {
      return axes.empty() ? *tensor_of(channels)
                          : add("expand_dims", {channels, Datum::ints(axes)}, name);
    };
    const std::string scale = made.name + ".scale";
    const ValueId deviation =
        add("sqrt", {add("add", {port("variance"), port("eps")}, scale)}, scale);
    const Argument weight = tensor_of(port("weight")) ? port("weight") : Argument(Datum(1.0));
    Channels channels{.mean = beside(port("mean"), made.name + ".mean"),
                      .scale = beside(add("divide", {weight, deviation}, scale), scale),
                      .bias = {}};
    if (tensor_of(port("bias"))) channels.bias = beside(port("bias"), made.name + ".bias");
    return channels;
  }

  void write(const Node& node) {
    const auto known = operands_.find(&node);
    const Channels channels = known == operands_.end() ? operands_of(node) : known->second;
    const std::string name = from_.value(node.outputs.front()).name;
    const Node norm = rebuilder_.map_arguments(node);
    const ValueId centred = add("subtract", {norm.arguments.front(), channels.mean}, name);
    if (!channels.bias) {
      return rebuilder_.add({&find_op("multiply"), {centred, channels.scale}, {}}, node.outputs);
    }
    const ValueId scaled = add("multiply", {centred, channels.scale}, name);
    rebuilder_.add({&find_op("add"), {scaled, *channels.bias}, {}}, node.outputs);
  }

  const OpDef& batch_norm_ = find_op("batch_norm_inference");
  const Graph& from_;
  Rebuilder rebuilder_;
  std::vector<bool> is_made_;                           // per value: by a node
  std::unordered_map<const Node*, Channels> operands_;  // for nodes with is_given
};

}  // namespace

Graph decompose_batch_norm(Graph graph) {
  const OpDef& batch_norm = find_op("batch_norm_inference");
  const bool any = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                               [&](const Node& node) { return node.op == &batch_norm; });
  if (!any) return graph;
  return BatchNormDecomposition(graph).run();
}

}  // namespace mithril::cpu_backend
