#include "mithril/passes/drop_rows.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

bool reads_one_of(const Node& node, const std::vector<bool>& values) {
  return std::any_of(node.arguments.begin(), node.arguments.end(), [&](const Argument& argument) {
    const ValueId* id = tensor_of(argument);
    return id && values[index(*id)];
  });
}

// What depends on a row in a loop.
struct LoopRows {
  std::vector<bool> arguments, outputs;
};

LoopRows rows_of_loop(const ScanLoop& scan, const std::vector<bool>& of_row);

// Marks what the node makes of marked values.
void mark_rows(const Node& node, std::vector<bool>& of_row) {
  if (!reads_one_of(node, of_row)) return;
  std::vector<bool> outputs(node.outputs.size(), true);
  if (is_scan(node)) outputs = rows_of_loop(scan_of(node), of_row).outputs;
  for (size_t k = 0; k < outputs.size(); ++k) of_row[index(node.outputs[k])] = outputs[k];
}

// A carry depends on a row if its first or its next value does.
LoopRows rows_of_loop(const ScanLoop& scan, const std::vector<bool>& of_row) {
  LoopRows rows;
  for (const ValueId id : scan.arguments) rows.arguments.push_back(of_row[index(id)]);
  for (bool more = true; more;) {
    more = false;
    std::vector<bool> inner(scan.body.values().size());
    for (size_t i = 0; i < rows.arguments.size(); ++i)
      inner[index(scan.body.inputs()[i])] = rows.arguments[i];
    for (const Node& node : scan.body.nodes()) mark_rows(node, inner);
    rows.outputs.clear();
    for (size_t k = 0; k < scan.body.outputs().size(); ++k) {
      const bool of = inner[index(scan.body.outputs()[k].value)];
      rows.outputs.push_back(of || (k < scan.carries && rows.arguments[k]));
      if (!of || k >= scan.carries || rows.arguments[k]) continue;
      rows.arguments[k] = more = true;
    }
  }
  return rows;
}

using Mapped = std::unordered_map<ValueId, ValueId>;

ScanLoop loop_without(const ScanLoop& scan, const LoopRows& rows, const std::vector<size_t>& kept);

// Copies a node of a step, or, of a loop in it, what depends on no row.
void copy_rest(const Graph& from, const Node& node, Graph& to, Mapped& mapped) {
  std::vector<bool> of_row(from.values().size());
  for (const Argument& argument : node.arguments) {
    if (const ValueId* id = tensor_of(argument)) of_row[index(*id)] = !mapped.contains(*id);
  }
  if (!reads_one_of(node, of_row)) return copy_node(from, node, to, mapped);
  if (!is_scan(node)) return;
  const ScanLoop scan = scan_of(node);
  const LoopRows rows = rows_of_loop(scan, of_row);
  std::vector<size_t> kept;
  Node rest{node.op, {}, {}};
  for (size_t k = 0; k < node.outputs.size(); ++k) {
    if (rows.outputs[k]) continue;
    kept.push_back(k);
    rest.outputs.push_back(to.add_value(from.value(node.outputs[k])));
    mapped.emplace(node.outputs[k], rest.outputs.back());
  }
  if (kept.empty()) return;
  ScanLoop loop = loop_without(scan, rows, kept);
  for (ValueId& id : loop.arguments) id = mapped.at(id);
  rest.arguments = scan_arguments(to, loop);
  to.add_node(std::move(rest));
}

// The loop with these outputs only, which depend on no row.
ScanLoop loop_without(const ScanLoop& scan, const LoopRows& rows, const std::vector<size_t>& kept) {
  ScanLoop rest{.body = {}, .length = scan.length, .reverse = scan.reverse};
  rest.body.share_facts(scan.body);
  rest.body.set_default_dtype(scan.body.default_dtype());
  Mapped mapped;
  for (size_t i = 0; i < scan.arguments.size(); ++i) {
    if (rows.arguments[i]) continue;
    const ValueId input = scan.body.inputs()[i];
    mapped.emplace(input, rest.body.add_input(scan.body.value(input)));
    rest.arguments.push_back(scan.arguments[i]);
    rest.carries += i < scan.carries;
    rest.sequences += i >= scan.carries && i < scan.carries + scan.sequences;
  }
  for (const Constant& constant : scan.body.constants())
    mapped.emplace(constant.value,
                   rest.body.add_constant(scan.body.value(constant.value).name, constant.tensor));
  for (const Node& node : scan.body.nodes()) copy_rest(scan.body, node, rest.body, mapped);
  for (const size_t k : kept) {
    const Output& output = scan.body.outputs()[k];
    rest.body.add_output(output.name, mapped.at(output.value));
  }
  rest.body.drop_unread();
  return rest;
}

class RowDropping {
 public:
  explicit RowDropping(const Graph& graph)
      : graph_(graph), of_row_(graph.values().size()), needed_(graph.values().size()) {
    for (const Node& node : graph.nodes()) mark(node);
    for (const Node& node : graph.nodes()) {
      if (is_dropped(node) || is_row(node)) continue;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) needed_[index(*id)] = true;
      }
    }
    for (const Output& output : graph.outputs()) needed_[index(output.value)] = true;
  }

  Graph run() const {
    for (const Output& output : graph_.outputs()) {
      if (of_row_[index(output.value)]) refuse(output.value);
    }
    Rebuilder rebuilder(graph_);
    for (const Node& node : graph_.nodes()) {
      if (is_row(node)) continue;
      if (!is_dropped(node)) {
        rebuilder.keep(node);
      } else if (is_scan(node)) {
        keep_rest(rebuilder, node);
      }
    }
    return rebuilder.finish_whole();
  }

 private:
  static bool is_row(const Node& node) { return node.op->transform && !node.op->expand; }
  bool is_dropped(const Node& node) const { return reads_one_of(node, of_row_); }

  void mark(const Node& node) {
    mark_rows(node, of_row_);
    if (is_row(node)) of_row_[index(node.outputs.front())] = true;
  }

  // The loop with the outputs that depend on no row and are read outside: such as the key of a
  // dropout in the body, which is a state.
  void keep_rest(Rebuilder& rebuilder, const Node& node) const {
    const ScanLoop scan = scan_of(node);
    const LoopRows rows = rows_of_loop(scan, of_row_);
    std::vector<size_t> kept;
    std::vector<ValueId> outputs;
    bool is_needed = false;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const bool needed = needed_[index(node.outputs[k])];
      if (rows.outputs[k] || (k >= scan.carries && !needed)) continue;
      kept.push_back(k);
      outputs.push_back(node.outputs[k]);
      is_needed = is_needed || needed;
    }
    if (!is_needed) return;
    ScanLoop rest = loop_without(scan, rows, kept);
    for (ValueId& id : rest.arguments) id = rebuilder.map(id);
    rebuilder.add({node.op, scan_arguments(rebuilder.graph(), rest), {}}, outputs);
  }

  [[noreturn]] void refuse(ValueId id) const {
    raise({.kind = ErrorKind::value,
           .code = "E0428",
           .path = graph_.value(id).name,
           .message = "a value inside a vmap is read outside of it",
           .help =
               "make it an output of the model that vmap takes, whose outputs hooks see. A state "
               "that differs for each index, such as running statistics, is not possible"});
  }

  const Graph& graph_;
  std::vector<bool> of_row_, needed_;  // per value
};

}  // namespace

Graph drop_rows(const Graph& graph) { return RowDropping(graph).run(); }

}  // namespace mithril
