#include "mithril/passes/fixed_carries.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

ValueId input(const Node& node, std::string_view port) {
  return *tensor_of(node.arguments[node.argument_index(port)]);
}

const Datum& value_of(const Node& node, std::string_view port) {
  return std::get<Datum>(node.arguments[node.argument_index(port)]);
}

// How many of the values of a vmap are results; the others are its rows.
size_t results_of_rows(const Node& node) {
  return node.list_size() - static_cast<size_t>(value_of(node, "inputs").integer());
}

// Adds the vmap without some of its values.
void keep_others(Rebuilder& rebuilder, const Node& node, const std::vector<bool>& gone) {
  const Node mapped = rebuilder.map_arguments(node);
  const size_t results = results_of_rows(node);
  Node left{node.op, {}, {}};
  std::vector<ValueId> outputs;
  Tuple axes;
  std::int64_t rows = 0;
  for (size_t k = 0; k < gone.size(); ++k) {
    if (gone[k]) continue;
    left.arguments.push_back(mapped.arguments[k]);
    axes.push_back(value_of(node, "axes").tuple()[k]);
    outputs.push_back(node.outputs[k]);
    rows += k >= results;
  }
  for (const Datum& datum : {Datum(std::move(axes)), Datum(rows), value_of(node, "size")})
    left.arguments.emplace_back(datum);
  rebuilder.add(std::move(left), outputs);
}

class FixedCarries {
 public:
  FixedCarries(const Graph& graph, const std::vector<std::string>& states)
      : graph_(graph),
        first_(graph.values().size(), nowhere),
        initial_(graph.values().size(), nowhere),
        is_row_(graph.values().size()),
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
      } else if (node.op == &rows_) {
        keep_changing(rebuilder, node);
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
    } else if (node.op == &row_) {
      const ValueId whole = same_[index(input(node, "input"))];
      first_[index(made)] = first_[index(whole)];
      initial_[index(made)] = whole;
      is_row_[index(made)] = true;
    } else if (node.op == &rows_) {
      for (size_t k = 0; k < results_of_rows(node); ++k) {
        const ValueId row = same_[index(*tensor_of(node.arguments[k]))], whole = whole_of(row);
        if (whole == nowhere || first_[index(row)] == nowhere) continue;
        fixed_[index(node.outputs[k])] = true;
        same_[index(node.outputs[k])] = same_[index(whole)];
      }
    }
  }

  // What the row is one index of. The axis of a state is the first one.
  ValueId whole_of(ValueId row) const {
    return is_row_[index(row)] ? initial_[index(row)] : nowhere;
  }

  void keep_changing(Rebuilder& rebuilder, const Node& node) const {
    std::vector<bool> gone;
    for (const ValueId id : node.outputs) {
      gone.push_back(fixed_[index(id)]);
      if (gone.back()) rebuilder.replace(id, rebuilder.map(same_[index(id)]));
    }
    keep_others(rebuilder, node, gone);
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
              &entry_ = find_op("branch_input"), &result_ = find_op("branch_result"),
              &row_ = find_op("row_of"), &rows_ = find_op("stack_rows");
  std::vector<ValueId> first_;    // per value: the state with which a carry begins, or nowhere
  std::vector<ValueId> initial_;  // per carry: its first value; per row: what it is an index of
  std::vector<ValueId> same_;     // per value: what it copies
  std::vector<bool> is_row_;      // per value: one index of another
  std::vector<bool> fixed_;       // per value: a carry or a result that nothing changes
};

// Takes out rows of states that nothing but their vmap reads.
class UnreadRows {
 public:
  UnreadRows(const Graph& graph, const std::vector<std::string>& states)
      : graph_(graph), of_state_(graph.values().size()), needed_(graph.values().size()) {
    for (const ValueId id : graph.inputs())
      of_state_[index(id)] =
          std::find(states.begin(), states.end(), graph.value(id).name) != states.end();
    for (const Node& node : graph.nodes()) {
      if (node.op == &row_)
        of_state_[index(node.outputs.front())] = of_state_[index(input(node, "input"))];
    }
    for (const Output& output : graph.outputs()) needed_[index(output.value)] = true;
    for (size_t n = graph.nodes().size(); n-- > 0;) mark(graph.nodes()[n]);
  }

  Graph run() const {
    Rebuilder rebuilder(graph_);
    for (const Node& node : graph_.nodes()) {
      if (node.op != &rows_) {
        rebuilder.keep(node);
        continue;
      }
      std::vector<bool> gone;
      for (size_t k = 0; k < node.outputs.size(); ++k) gone.push_back(is_unread(node, k));
      keep_others(rebuilder, node, gone);
    }
    return rebuilder.finish_whole();
  }

 private:
  bool is_unread(const Node& node, size_t k) const {
    const ValueId row = *tensor_of(node.arguments[k]);
    return k >= results_of_rows(node) && of_state_[index(row)] && !needed_[index(row)] &&
           !needed_[index(node.outputs[k])];
  }

  void mark(const Node& node) {
    const bool is_needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                       [&](ValueId id) { return needed_[index(id)]; });
    if (!is_needed) return;
    const size_t count = node.op == &rows_ ? results_of_rows(node) : node.arguments.size();
    for (size_t i = 0; i < count; ++i) {
      if (const ValueId* id = tensor_of(node.arguments[i])) needed_[index(*id)] = true;
    }
  }

  const Graph& graph_;
  const OpDef &row_ = find_op("row_of"), &rows_ = find_op("stack_rows");
  std::vector<bool> of_state_, needed_;  // per value
};

}  // namespace

Graph without_fixed_carries(const Graph& graph, const std::vector<std::string>& states) {
  if (states.empty()) return graph;
  const FixedCarries carries(graph, states);
  return carries.any() ? UnreadRows(carries.run(), states).run() : graph;
}

}  // namespace mithril
