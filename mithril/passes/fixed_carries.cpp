#include "mithril/passes/fixed_carries.hpp"

#include <algorithm>

#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

ValueId input(const Node& node, std::string_view port) {
  return *tensor_of(node.arguments[node.argument_index(port)]);
}

class FixedCarries {
 public:
  FixedCarries(const Graph& graph, const std::vector<std::string>& states)
      : graph_(graph),
        first_(graph.values().size(), nowhere),
        initial_(graph.values().size(), nowhere),
        fixed_(graph.values().size()) {
    for (size_t v = 0; v < graph.values().size(); ++v) same_.push_back(static_cast<ValueId>(v));
    for (const ValueId id : graph.inputs()) {
      if (std::find(states.begin(), states.end(), graph.value(id).name) != states.end())
        first_[index(id)] = id;
    }
    // An inner loop ends before the outer one, and returns the carry of the outer one.
    for (const Node& node : graph.nodes()) find(node);
  }

  bool any() const { return std::find(fixed_.begin(), fixed_.end(), true) != fixed_.end(); }

  Graph run() const {
    Rebuilder rebuilder(graph_);
    for (const Node& node : graph_.nodes()) {
      const ValueId made = node.outputs.front();
      if (node.op == &carry_ && fixed_[index(made)]) {
        rebuilder.replace(made, rebuilder.map(input(node, "initial")));
      } else if (node.op == &result_ && fixed_[index(made)]) {
        rebuilder.replace(made, rebuilder.map(same_[index(made)]));
      } else if (node.op == &last_ && fixed_[index(input(node, "carry"))]) {
        rebuilder.replace(made, rebuilder.map(input(node, "carry")));
      } else if (node.op == &last_ || node.op == &stack_) {
        rebuilder.keep(without_fixed(node));
      } else {
        rebuilder.keep(node);
      }
    }
    return rebuilder.finish_whole();
  }

 private:
  void find(const Node& node) {
    const ValueId made = node.outputs.front();
    if (node.op == &buffer_) {
      if (const ValueId* id = tensor_of(node.arguments.front()))
        same_[index(made)] = same_[index(*id)];
    } else if (node.op == &carry_) {
      initial_[index(made)] = input(node, "initial");
      first_[index(made)] = first_[index(same_[index(initial_[index(made)])])];
    } else if (node.op == &last_) {
      const ValueId carry = input(node, "carry");
      if (first_[index(carry)] == nowhere || same_[index(input(node, "next"))] != carry) return;
      fixed_[index(carry)] = true;
      same_[index(made)] = same_[index(initial_[index(carry)])];
    } else if (node.op == &entry_) {
      same_[index(made)] = same_[index(input(node, "input"))];
    } else if (node.op == &result_) {
      const ValueId then = same_[index(input(node, "then"))];
      if (first_[index(then)] == nowhere || then != same_[index(input(node, "otherwise"))]) return;
      fixed_[index(made)] = true;
      same_[index(made)] = then;
    }
  }

  Node without_fixed(const Node& node) const {
    Node left{node.op, {}, node.outputs};
    const size_t first = node.argument_index("carried"), count = node.list_size();
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const bool carried = i >= first && i < first + count;
      const size_t pair = carried ? i - (i - first) % 2 : i;
      if (!carried || !fixed_[index(*tensor_of(node.arguments[pair]))])
        left.arguments.push_back(node.arguments[i]);
    }
    return left;
  }

  const Graph& graph_;
  const OpDef &buffer_ = find_op("buffer"), &carry_ = find_op("scan_carry"),
              &last_ = find_op("scan_last"), &stack_ = find_op("scan_stack"),
              &entry_ = find_op("branch_input"), &result_ = find_op("branch_result");
  std::vector<ValueId> first_;    // per value: the state with which a carry begins, or nowhere
  std::vector<ValueId> initial_;  // per carry: its first value
  std::vector<ValueId> same_;     // per value: what it copies
  std::vector<bool> fixed_;       // per value: a carry or a result that nothing changes
};

}  // namespace

Graph without_fixed_carries(const Graph& graph, const std::vector<std::string>& states) {
  if (states.empty()) return graph;
  const FixedCarries carries(graph, states);
  return carries.any() ? carries.run() : graph;
}

}  // namespace mithril
