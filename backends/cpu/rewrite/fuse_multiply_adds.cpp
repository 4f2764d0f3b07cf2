#include "backends/cpu/rewrite/fuse_multiply_adds.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "backends/cpu/rewrite/multiply_add_op.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::cpu_backend {
namespace {

class MultiplyAddFusion {
 public:
  explicit MultiplyAddFusion(const Graph& graph) : from_(graph), rebuilder_(graph) {
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) producers_.emplace(id, &node);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      if (node.op != &cast_ || !fuse(node)) rebuilder_.keep(node);
    }
    return rebuilder_.finish();
  }

 private:
  // The node of this op that makes the argument, in float64.
  const Node* wide(const Argument& argument, const OpDef& op) const {
    const ValueId* id = tensor_of(argument);
    if (!id || from_.value(*id).dtype != DType::float64) return nullptr;
    const auto at = producers_.find(*id);
    return at != producers_.end() && at->second->op == &op ? at->second : nullptr;
  }

  // An argument of float64 as one of float32, in the new graph. None: float32 may not hold it.
  std::optional<Argument> narrowed(const Argument& argument) const {
    if (const Datum* number = std::get_if<Datum>(&argument)) {
      const bool is_held =
          number->kind() == kind::float_value &&
          static_cast<double>(static_cast<float>(number->real())) == number->real();
      return is_held ? std::optional(argument) : std::nullopt;
    }
    const Node* cast = wide(argument, cast_);
    const ValueId* source = cast ? tensor_of(cast->arguments.front()) : nullptr;
    if (!source || from_.value(*source).dtype != DType::float32) return std::nullopt;
    return rebuilder_.map(*source);
  }

  bool fuse(const Node& node) {
    if (from_.value(node.outputs.front()).dtype != DType::float32) return false;
    const Node* sum = wide(node.arguments.front(), add_);
    if (!sum) return false;
    for (const size_t side : {0, 1}) {
      const Node* product = wide(sum->arguments[side], multiply_);
      if (!product) continue;
      const auto left = narrowed(product->arguments[0]), right = narrowed(product->arguments[1]),
                 addend = narrowed(sum->arguments[1 - side]);
      if (!left || !right || !addend) continue;
      rebuilder_.add({&multiply_add(), {*left, *right, *addend}, {}}, node.outputs);
      return true;
    }
    return false;
  }

  const OpDef &cast_ = find_op("cast"), &add_ = find_op("add"), &multiply_ = find_op("multiply");
  const Graph& from_;
  Rebuilder rebuilder_;
  std::unordered_map<ValueId, const Node*> producers_;
};

}  // namespace

Graph fuse_multiply_adds(Graph graph) {
  const OpDef& add = find_op("add");
  const bool any = std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    return node.op == &add && graph.value(node.outputs.front()).dtype == DType::float64;
  });
  if (!any) return graph;
  return MultiplyAddFusion(graph).run();
}

}  // namespace mithril::cpu_backend
