// Adds a new axis to values of a graph: vmap.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

// Vectorizes the nodes that the graph has at construction: adds nodes that compute them for each
// index of a new first axis. The graph outlives it.
class Batching {
 public:
  // Names of new values begin with `prefix` and the name of a value.
  Batching(Graph& graph, std::string prefix, Dim size);

  // `batched` is `value` with the new axis first.
  void seed(ValueId value, ValueId batched) { batched_[index(value)] = batched; }
  // Adds the nodes that `wanted` need. ValueError E0427 names all ops without a batching rule.
  void run(const std::vector<ValueId>& wanted);

  // After run: a wanted value with the new axis; none if it is the same for each index.
  const std::optional<ValueId>& batched(ValueId wanted) const { return batched_[index(wanted)]; }
  // The value for a wanted value that is the same for each index.
  ValueId shared(ValueId wanted) const { return shared_[index(wanted)]; }

 private:
  void mark_needed(const std::vector<ValueId>& wanted);
  void batch(const Node& node);
  void refuse(const Node& node, const std::string& why);
  void refuse_open_rank(const Node& node, const std::string& port);
  bool has_batched(const Node& node) const;

  Graph& graph_;
  const std::string prefix_;
  const Dim size_;
  const size_t node_count_;
  std::vector<bool> needed_;                     // per value
  std::vector<std::optional<ValueId>> batched_;  // per value
  std::vector<ValueId> shared_;                  // per value: itself, or what replaces it
  std::deque<std::string> scopes_;               // of all expressions
  bool open_rank_ = false;
  std::vector<std::string> refused_;  // "encoder.sort: unique: it has no batching rule"
};

}  // namespace mithril
