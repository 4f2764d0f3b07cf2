#include "mithril/passes/drop_rows.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/dependence.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
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

bool is_row_maker(const Node& node) { return node.op->transform && !node.op->expand; }

// What depends on a row in a loop or a choice.
struct NestedRows {
  std::vector<bool> arguments, outputs;
};

// Per output, whether it depends on a row.
std::vector<bool> rows_of_outputs(const Graph& graph, const Node& node,
                                  const std::vector<bool>& of_row) {
  if (!reads_one_of(node, of_row)) return std::vector<bool>(node.outputs.size());
  std::vector<bool> reads, outputs;
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    reads.push_back(id && of_row[index(*id)]);
  }
  for (const std::vector<bool>& arguments : dependence(graph, node))
    outputs.push_back(depends_on(arguments, reads));
  return outputs;
}

// How many of the outputs are carries of a loop.
size_t carries_of(const Node& node) {
  if (is_scan(node)) return carries_of_scan(node);
  return is_while(node) ? node.outputs.size() : 0;
}

// A carry depends on a row if its first or its next value does.
NestedRows nested_rows(const Graph& graph, const Node& node, const std::vector<bool>& of_row) {
  NestedRows rows{.arguments = {}, .outputs = rows_of_outputs(graph, node, of_row)};
  const size_t first = node.argument_index("arguments");
  for (size_t i = 0; i < node.list_size(); ++i)
    rows.arguments.push_back(of_row[index(*tensor_of(node.arguments[first + i]))]);
  for (size_t k = 0; k < carries_of(node); ++k) rows.arguments[k] = rows.outputs[k];
  return rows;
}

using Mapped = std::unordered_map<ValueId, ValueId>;

Graph rest_of_graph(const Graph& graph, const std::vector<bool>& inputs,
                    const std::vector<size_t>& kept);

// The loop with these outputs only, which depend on no row.
ScanLoop loop_without(const ScanLoop& scan, const NestedRows& rows,
                      const std::vector<size_t>& kept) {
  ScanLoop rest{.body = rest_of_graph(scan.body, rows.arguments, kept),
                .length = scan.length,
                .reverse = scan.reverse,
                .numbers = scan.numbers};
  for (size_t i = 0; i < scan.arguments.size(); ++i) {
    if (rows.arguments[i]) continue;
    rest.arguments.push_back(scan.arguments[i]);
    rest.carries += i < scan.carries;
    rest.sequences += i >= scan.carries && i < scan.carries + scan.sequences;
  }
  return rest;
}

// The choice with these outputs only.
CondNode choice_without(const CondNode& cond, const NestedRows& rows,
                        const std::vector<size_t>& kept) {
  CondNode rest{.then = rest_of_graph(cond.then, rows.arguments, kept),
                .otherwise = rest_of_graph(cond.otherwise, rows.arguments, kept),
                .condition = cond.condition};
  for (size_t i = 0; i < cond.arguments.size(); ++i) {
    if (!rows.arguments[i]) rest.arguments.push_back(cond.arguments[i]);
  }
  for (const size_t k : kept) rest.results.push_back(cond.results[k]);
  return rest;
}

// The loop with these carries only.
WhileNode while_without(const WhileNode& loop, const NestedRows& rows,
                        const std::vector<size_t>& kept) {
  WhileNode rest{.condition = rest_of_graph(loop.condition, rows.arguments, {0}),
                 .body = rest_of_graph(loop.body, rows.arguments, kept)};
  for (size_t i = 0; i < loop.arguments.size(); ++i) {
    if (!rows.arguments[i]) rest.arguments.push_back(loop.arguments[i]);
  }
  return rest;
}

// The arguments of the loop or the choice with these outputs only. `map`: from the graph of the
// node to the graph that the arguments are for.
template <class Map>
std::vector<Argument> arguments_without(const Graph& from, const Node& node,
                                        const std::vector<bool>& of_row,
                                        const std::vector<size_t>& kept, const Graph& to,
                                        const Map& map) {
  const NestedRows rows = nested_rows(from, node, of_row);
  if (is_cond(node)) {
    CondNode rest = choice_without(cond_of(node), rows, kept);
    rest.condition = map(rest.condition);
    for (ValueId& id : rest.arguments) id = map(id);
    return cond_arguments(rest);
  }
  if (is_while(node)) {
    WhileNode rest = while_without(while_of(node), rows, kept);
    for (ValueId& id : rest.arguments) id = map(id);
    return while_arguments(to, rest);
  }
  ScanLoop rest = loop_without(scan_of(node), rows, kept);
  for (ValueId& id : rest.arguments) id = map(id);
  return scan_arguments(to, rest);
}

// Copies a node, or, of a loop or a choice, what depends on no row.
void copy_rest(const Graph& from, const Node& node, Graph& to, Mapped& mapped) {
  std::vector<bool> of_row(from.values().size());
  for (const Argument& argument : node.arguments) {
    if (const ValueId* id = tensor_of(argument)) of_row[index(*id)] = !mapped.contains(*id);
  }
  if (!reads_one_of(node, of_row)) return copy_node(from, node, to, mapped);
  const std::vector<bool> outputs = rows_of_outputs(from, node, of_row);
  std::vector<size_t> kept;
  Node rest{node.op, {}, {}};
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k]) continue;
    kept.push_back(k);
    rest.outputs.push_back(to.add_value(from.value(node.outputs[k])));
    mapped.emplace(node.outputs[k], rest.outputs.back());
  }
  if (kept.empty()) return;
  rest.arguments =
      arguments_without(from, node, of_row, kept, to, [&](ValueId id) { return mapped.at(id); });
  to.add_node(std::move(rest));
}

// The graph with these outputs only, which depend on no marked input, and without those inputs.
Graph rest_of_graph(const Graph& graph, const std::vector<bool>& inputs,
                    const std::vector<size_t>& kept) {
  Graph rest;
  rest.share_facts(graph);
  rest.set_default_dtype(graph.default_dtype());
  Mapped mapped;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId input = graph.inputs()[i];
    if (!inputs[i]) mapped.emplace(input, rest.add_input(graph.value(input)));
  }
  for (const Constant& constant : graph.constants())
    mapped.emplace(constant.value,
                   rest.add_constant(graph.value(constant.value).name, constant.tensor));
  for (const Node& node : graph.nodes()) copy_rest(graph, node, rest, mapped);
  for (const size_t k : kept) {
    const Output& output = graph.outputs()[k];
    rest.add_output(output.name, mapped.at(output.value));
  }
  rest.drop_unread();
  return rest;
}

class RowDropping {
 public:
  explicit RowDropping(const Graph& graph)
      : graph_(graph), of_row_(graph.values().size()), needed_(graph.values().size()) {
    for (const Node& node : graph.nodes()) mark(node);
    for (const Node& node : graph.nodes()) {
      if (is_dropped(node) || is_row_maker(node)) continue;
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
      if (is_row_maker(node)) continue;
      is_dropped(node) ? keep_rest(rebuilder, node) : rebuilder.keep(node);
    }
    return rebuilder.finish_whole();
  }

 private:
  bool is_dropped(const Node& node) const { return reads_one_of(node, of_row_); }

  void mark(const Node& node) {
    const std::vector<bool> outputs = rows_of_outputs(graph_, node, of_row_);
    for (size_t k = 0; k < outputs.size(); ++k) of_row_[index(node.outputs[k])] = outputs[k];
    if (is_row_maker(node)) of_row_[index(node.outputs.front())] = true;
  }

  // The loop or the choice with the outputs that depend on no row and are read outside: such as the
  // key of a dropout in the body or a branch, which is a state.
  void keep_rest(Rebuilder& rebuilder, const Node& node) const {
    const std::vector<bool> rows = rows_of_outputs(graph_, node, of_row_);
    const size_t carries = carries_of(node);
    std::vector<size_t> kept;
    std::vector<ValueId> outputs;
    bool is_needed = false;
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const bool needed = needed_[index(node.outputs[k])];
      if (rows[k] || (k >= carries && !needed)) continue;
      kept.push_back(k);
      outputs.push_back(node.outputs[k]);
      is_needed = is_needed || needed;
    }
    if (!is_needed) return;
    std::vector<Argument> arguments =
        arguments_without(graph_, node, of_row_, kept, rebuilder.graph(),
                          [&](ValueId id) { return rebuilder.map(id); });
    rebuilder.add({node.op, std::move(arguments), {}}, outputs);
  }

  [[noreturn]] void refuse(ValueId id) const {
    raise({.kind = ErrorKind::value,
           .code = "E0428",
           .path = graph_.value(id).name,
           .message = "a value inside a vmap is read outside of it",
           .help = "make it an output of the model that vmap takes"});
  }

  const Graph& graph_;
  std::vector<bool> of_row_, needed_;  // per value
};

}  // namespace

Graph drop_rows(const Graph& graph) { return RowDropping(graph).run(); }

std::vector<bool> values_of_rows(const Graph& graph) {
  std::vector<std::set<ValueId>> rows(graph.values().size());  // per value: that it depends on
  for (const Node& node : graph.nodes()) {
    std::set<ValueId> own;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument))
        own.insert(rows[index(*id)].begin(), rows[index(*id)].end());
    }
    if (is_row_maker(node)) own.insert(node.outputs.front());
    if (node.op->transform && node.op->outputs_from == "values") {
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) own.erase(*id);
      }
    }
    for (const ValueId id : node.outputs) rows[index(id)] = own;
  }
  std::vector<bool> of_rows;
  for (const std::set<ValueId>& own : rows) of_rows.push_back(!own.empty());
  return of_rows;
}

}  // namespace mithril
