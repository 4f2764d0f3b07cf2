// The arguments of an op's `grad` and `expand`.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/graph/expression.hpp"

namespace mithril {

class NodeContext {
 public:
  NodeContext(Graph& graph, const Node& node, const std::string& scope);

  // True if the port holds a tensor (not a value, not None).
  bool has(std::string_view port, int item = 0) const;
  Expression in(std::string_view port, int item = 0) const;    // of a port that holds a tensor
  Operand operand(std::string_view port, int item = 0) const;  // tensor or value
  const Datum& value(std::string_view port, int item = 0) const;
  int list_size() const { return static_cast<int>(node_.list_size()); }
  int output_count() const { return static_cast<int>(node_.outputs.size()); }

 protected:
  const Argument& argument(std::string_view port, int item) const;
  Expression expression(ValueId id) const { return {&graph_, id, &scope_}; }
  Graph& graph_;
  const Node node_;  // a copy: adding nodes may move the graph's own
  const std::string& scope_;
};

class GradContext : public NodeContext {
 public:
  // needed: per argument, whether its gradient is needed.
  GradContext(Graph& graph, const Node& node, const std::string& scope,
              std::vector<std::optional<ValueId>> output_grads, std::vector<bool> needed);

  Expression out(int index = 0) const;
  // Whether the output has a gradient: an op with several outputs can skip sums for unused outputs.
  bool has_out_grad(int index) const { return output_grads_[index].has_value(); }
  Expression out_grad(int index = 0) const;  // zeros if the output has no gradient
  // Whether the gradient of this port is needed (false for values). Nodes for other ports would be
  // pruned.
  bool needs(std::string_view port, int item = 0) const;
  // States the gradient of a port. It may have more or larger dims than the port if the op
  // broadcasts: see sum_to in ops/support/broadcasting.hpp.
  void flow(std::string_view port, const Expression& grad, int item = 0);
  const std::vector<std::optional<ValueId>>& flows() const { return flows_; }

 private:
  std::vector<std::optional<ValueId>> output_grads_;
  std::vector<bool> needed_;
  std::vector<std::optional<ValueId>> flows_;
};

class ExpandContext : public NodeContext {
 public:
  // dtype: that of the output. The inputs are wider where half precision is computed in float32.
  ExpandContext(Graph& graph, const Node& node, const std::string& scope, DType dtype)
      : NodeContext(graph, node, scope), dtype_(dtype) {}

  DType dtype() const { return dtype_; }
  // Defines an output.
  void become(const Expression& result, int index = 0);
  // For ops without a tensor input.
  Expression make(std::string_view op, std::initializer_list<Operand> operands);
  const std::vector<std::optional<ValueId>>& results() const { return results_; }

 private:
  const DType dtype_;
  std::vector<std::optional<ValueId>> results_;
};

}  // namespace mithril
