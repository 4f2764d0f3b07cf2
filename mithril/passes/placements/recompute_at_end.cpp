#include "mithril/passes/placements/recompute_at_end.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/buckets.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

class Recomputation {
 public:
  explicit Recomputation(const Graph& graph)
      : graph_(graph),
        rebuilder_(graph),
        scope_(unused_prefix(graph, "recomputed")),
        makers_(graph.values().size(), -1),
        precedes_(graph.values().size()) {
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      for (const ValueId id : graph.nodes()[i].outputs) makers_[index(id)] = static_cast<int>(i);
    }
    find_preceding();
  }

  Graph run(const std::vector<std::vector<size_t>>& groups) {
    for (const Node& node : graph_.nodes()) rebuilder_.keep(node);
    for (const std::vector<size_t>& group : groups) {
      std::set<ValueId> made;
      for (const size_t output : group) {
        const ValueId id = graph_.outputs()[output].value;
        if (precedes_[index(id)] && is_recomputable(id, bytes(id))) made.insert(id);
      }
      if (bytes_read(made) < bytes_of(made)) recompute(made);
    }
    return rebuilder_.finish();
  }

 private:
  std::int64_t bytes(ValueId id) const { return known_bytes(graph_.value(id)).value_or(0); }

  std::int64_t bytes_of(const std::set<ValueId>& values) const {
    std::int64_t total = 0;
    for (const ValueId id : values) total += bytes(id);
    return total;
  }

  // Marks the values that a collective depends on.
  void find_preceding() {
    for (size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& node = graph_.nodes()[i];
      bool precedes = node.op->collective;
      for (const ValueId id : node.outputs) precedes = precedes || precedes_[index(id)];
      for (const Argument& argument : node.arguments) {
        const ValueId* id = tensor_of(argument);
        if (id && precedes) precedes_[index(*id)] = true;
      }
    }
  }

  // Whether an elementwise node computes the value and the value has `size` bytes.
  bool is_recomputable(ValueId id, std::int64_t size) const {
    const int maker = makers_[index(id)];
    if (maker < 0 || size == 0 || bytes(id) != size) return false;
    const Node& node = graph_.nodes()[static_cast<size_t>(maker)];
    return node.op->spelling("c") && node.outputs.size() == 1;
  }

  // The bytes of the values that recomputing reads. Inputs and constants do not count: they exist
  // anyway.
  std::int64_t bytes_read(const std::set<ValueId>& made) const {
    std::set<ValueId> read, seen;
    std::vector<std::pair<ValueId, std::int64_t>> open;
    for (const ValueId id : made) open.emplace_back(id, bytes(id));
    while (!open.empty()) {
      const auto [id, size] = open.back();
      open.pop_back();
      if (!seen.insert(id).second) continue;
      if (!is_recomputable(id, size)) {
        if (makers_[index(id)] >= 0) read.insert(id);
        continue;
      }
      const Node& node = graph_.nodes()[static_cast<size_t>(makers_[index(id)])];
      for (const Argument& argument : node.arguments) {
        if (const ValueId* next = tensor_of(argument)) open.emplace_back(*next, size);
      }
    }
    return bytes_of(read);
  }

  void recompute(const std::set<ValueId>& made) {
    for (const ValueId id : made) recomputed(id, bytes(id));
    for (const ValueId id : made) rebuilder_.replace(id, again_.at(id));
  }

  // The value in the new graph, recomputed where that is possible.
  ValueId recomputed(ValueId id, std::int64_t size) {
    if (!is_recomputable(id, size)) return rebuilder_.map(id);
    const auto known = again_.find(id);
    if (known != again_.end()) return known->second;
    Node node = graph_.nodes()[static_cast<size_t>(makers_[index(id)])];
    for (Argument& argument : node.arguments) {
      if (ValueId* next = std::get_if<ValueId>(&argument)) *next = recomputed(*next, size);
    }
    Value value = graph_.value(id);
    value.name = scope_ + "." + value.name;
    node.outputs = {rebuilder_.graph().add_value(std::move(value))};
    again_.emplace(id, node.outputs.front());
    const ValueId now = node.outputs.front();
    rebuilder_.graph().add_node(std::move(node));
    return now;
  }

  const Graph& graph_;
  Rebuilder rebuilder_;
  const std::string scope_;
  std::vector<int> makers_;     // per value: the node that makes it; -1: none
  std::vector<bool> precedes_;  // per value: whether a collective depends on it
  std::map<ValueId, ValueId> again_;
};

}  // namespace

Graph recompute_at_end(const Graph& graph, const std::vector<std::vector<size_t>>& groups) {
  return Recomputation(graph).run(groups);
}

}  // namespace mithril
