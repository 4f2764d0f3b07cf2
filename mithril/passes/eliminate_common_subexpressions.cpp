// Makes one of nodes that compute the same, and of constants that hold the same. The first one
// stays.
#include <algorithm>
#include <string_view>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/datum_hash.hpp"
#include "mithril/passes/hash_index.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

// Enough to distinguish most constants; equal hashes are compared in full.
constexpr size_t hashed_bytes = 4096;

bool equal(const Argument& a, const Argument& b) {
  const ValueId *left = tensor_of(a), *right = tensor_of(b);
  if (left || right) return left && right && *left == *right;
  return identical(std::get<Datum>(a), std::get<Datum>(b));
}

// Unknown sizes have different symbols if they are made twice, and readers need the symbol that
// they know.
bool same_dims(const Value& a, const Value& b) {
  return a.ranked == b.ranked &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const Dim& x, const Dim& y) { return same(x, y); });
}

class CommonSubexpressions {
 public:
  explicit CommonSubexpressions(const Graph& graph)
      : from_(graph), rebuilder_(graph), seen_(graph.nodes().size()) {}

  Graph run() {
    merge_constants();
    for (const Node& node : from_.nodes()) merge(node);
    return rebuilder_.finish();
  }

 private:
  void merge_constants() {
    const std::vector<Constant>& constants = from_.constants();
    HashIndex seen(constants.size());
    for (size_t i = 0; i < constants.size(); ++i) {
      const Tensor& tensor = constants[i].tensor;
      const std::string_view head(static_cast<const char*>(tensor.raw_data()),
                                  std::min(tensor.bytes(), hashed_bytes));
      const size_t hash = mix_hash(std::hash<std::string_view>()(head), tensor.bytes());
      const auto first = seen.find_or_add(
          hash, i, [&](size_t other) { return identical(constants[other].tensor, tensor); });
      if (first) rebuilder_.replace(constants[i].value, rebuilder_.map(constants[*first].value));
    }
  }

  void merge(const Node& node) {
    Node mapped = rebuilder_.map_arguments(node);
    if (node.op->collective) return rebuilder_.add(std::move(mapped), node.outputs);
    size_t hash = std::hash<const OpDef*>()(node.op);
    for (const Argument& argument : mapped.arguments) {
      const ValueId* id = tensor_of(argument);
      hash = mix_hash(hash, id ? index(*id) : hash_of(std::get<Datum>(argument)));
    }
    const std::vector<Node>& nodes = rebuilder_.graph().nodes();
    const auto first = seen_.find_or_add(mix_hash(hash, 0), nodes.size(), [&](size_t other) {
      return can_replace(nodes[other], mapped, node.outputs);
    });
    if (!first) return rebuilder_.add(std::move(mapped), node.outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      rebuilder_.replace(node.outputs[i], nodes[*first].outputs[i]);
    }
  }

  bool can_replace(const Node& first, const Node& second, const std::vector<ValueId>& outputs) {
    const auto equal_arguments = [](const Argument& a, const Argument& b) { return equal(a, b); };
    return first.op == second.op && first.outputs.size() == outputs.size() &&
           std::equal(first.arguments.begin(), first.arguments.end(), second.arguments.begin(),
                      second.arguments.end(), equal_arguments) &&
           std::equal(outputs.begin(), outputs.end(), first.outputs.begin(),
                      [&](ValueId old, ValueId now) {
                        return same_dims(from_.value(old), rebuilder_.graph().value(now));
                      });
  }

  const Graph& from_;
  Rebuilder rebuilder_;
  HashIndex seen_;  // nodes of the new graph
};

}  // namespace

Graph eliminate_common_subexpressions(const Graph& graph) {
  return CommonSubexpressions(graph).run();
}

}  // namespace mithril
