// Adds the gradients of some values of a graph with respect to others, in reverse mode.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril {

// Differentiates the nodes that the graph has at construction. The graph outlives it.
class ReverseMode {
 public:
  // `wanted`: the values with respect to which the others are differentiated. Names of new values
  // begin with `prefix` and the name of a value. GradientError E0502 for a wanted value that is not
  // of a float dtype.
  ReverseMode(Graph& graph, std::string prefix, const std::vector<ValueId>& wanted);

  // The incoming gradient of `value`. Gradients of one value add up.
  void seed(ValueId value, ValueId gradient);
  // Adds the nodes of the gradients. GradientError E0501 for an op that is not differentiable.
  void run();

  // After run: the gradient with respect to a wanted value; none if nothing that was seeded depends
  // on it.
  const std::optional<ValueId>& gradient(ValueId wanted) const { return gradients_[index(wanted)]; }
  // The same, or zeros. `name` is the scope of the zeros.
  ValueId gradient_or_zeros(ValueId wanted, const std::string& name);

 private:
  using Gradients = std::vector<std::optional<ValueId>>;

  void mark_needed(const std::vector<ValueId>& wanted);
  bool any_needed(const Node& node) const;
  void walk_back(NodeId id);
  Gradients flows_of(const Node& node, Gradients output_gradients, const std::vector<bool>& needed);
  Gradients rounded_once(const Node& node, const Gradients& output_gradients,
                         const std::vector<bool>& needed);
  void check_rank(ValueId of, ValueId gradient, const OpDef& op) const;
  [[noreturn]] void refuse(const Node& node, const std::string& name) const;
  Expression expression(ValueId id) { return {&graph_, id, scope_}; }
  void enter(const std::string& name) { scope_ = &scopes_.emplace_back(prefix_ + name); }

  Graph& graph_;
  const std::string prefix_;
  const size_t node_count_;
  std::vector<bool> needed_;        // per value: a wanted value flows into it
  Gradients gradients_;             // per value
  std::deque<std::string> scopes_;  // of all expressions
  const std::string* scope_ = nullptr;
};

// The matrices a and b if the value is their product a' b, as the gradient of a weight is.
std::optional<std::pair<ValueId, ValueId>> factors_of_product(const Graph& graph, ValueId value);

// GradientError E0502: "<what> is int64: only float tensors have gradients".
void require_float(const Value& value, const std::string& what);

}  // namespace mithril
