// Replaces nodes whose op has `expand` by the nodes that it builds.
#include <algorithm>

#include "mithril/graph/grad_context.hpp"
#include "mithril/graph/half_precision.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/graph/wide_integers.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/drop_rows.hpp"
#include "mithril/passes/early_likes.hpp"
#include "mithril/passes/narrow_loops.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

constexpr int most_rounds = 50;  // of a graph without transforms

int count_transforms(const Graph& graph) {
  const auto& nodes = graph.nodes();
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(),
                                        [](const Node& node) { return node.op->transform; }));
}

std::vector<ValueId> results_of(Graph& graph, const Node& node, const std::string& scope,
                                DType dtype) {
  ExpandContext context(graph, node, scope, dtype);
  node.op->expand(context);
  std::vector<ValueId> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= context.results().size() || !context.results()[i])
      faulty_record(*node.op, "its expand does not say what each output becomes");
    results.push_back(*context.results()[i]);
  }
  return results;
}

// An op that is made of several ops is computed in float32 where they would round to half precision
// in between, so that it rounds once, as other ops do. A transform does so for each of its ops.
std::vector<ValueId> rounded_once(Graph& graph, const Node& node, const std::string& scope,
                                  DType dtype) {
  const size_t values = graph.values().size(), nodes = graph.nodes().size();
  std::vector<ValueId> rounded = results_of(graph, node, scope, dtype);
  if (node.op->transform || !rounds_between(graph, nodes)) return rounded;
  std::vector<DType> dtypes;
  for (const ValueId id : rounded) dtypes.push_back(graph.value(id).dtype);
  graph.truncate(values, nodes);
  WideArithmetic wide(graph, scope);
  std::vector<ValueId> results = results_of(graph, wide.widened(node), scope, dtype);
  for (size_t i = 0; i < results.size(); ++i) results[i] = wide.narrowed(results[i], dtypes[i]);
  return results;
}

Graph expand(const Graph& graph, Graph (Rebuilder::*finish)());

// The same loop or choice, with the ops of its graphs expanded.
void expand_nested(Rebuilder& rebuilder, const Node& node) {
  Node mapped = rebuilder.map_arguments(node);
  for (const std::string_view port : nested_graph_ports(*node.op)) {
    Argument& text = mapped.arguments[node.argument_index(port)];
    const Graph graph = nested_graph(std::get<Datum>(text))->copy();
    text = nested_datum(eliminate_common_subexpressions(expand(graph, &Rebuilder::finish)));
  }
  rebuilder.add(std::move(mapped), node.outputs);
}

void expand(Rebuilder& rebuilder, const Graph& from, const Node& node, int round) {
  if (has_nested_graphs(node)) return expand_nested(rebuilder, node);
  // Names of intermediate results are unique in each round.
  const std::string& name = from.value(node.outputs.front()).name;
  const std::string scope = round == 1 ? name : name + "." + std::to_string(round);
  Node mapped = rebuilder.map_arguments(node);
  mapped.outputs = node.outputs;  // for their number
  const DType dtype = from.value(node.outputs.front()).dtype;
  const std::vector<ValueId> results = rounded_once(rebuilder.graph(), mapped, scope, dtype);
  for (size_t i = 0; i < results.size(); ++i) rebuilder.become(node.outputs[i], results[i]);
}

bool is_left(const Rebuilder& rebuilder, size_t first) {
  const auto& nodes = rebuilder.graph().nodes();
  return std::any_of(nodes.begin() + static_cast<std::ptrdiff_t>(first), nodes.end(),
                     is_expandable);
}

// A transform needs the nodes before it as they are after all expansions.
Rebuilder expanded_once(const Graph& graph, int round) {
  Rebuilder rebuilder(graph);
  bool left = false;  // of the nodes so far
  for (const Node& node : graph.nodes()) {
    const size_t first = rebuilder.graph().nodes().size();
    if (is_expandable(node) && !(node.op->transform && left)) {
      expand(rebuilder, graph, node, round);
    } else {
      rebuilder.keep(node);
    }
    left = left || is_left(rebuilder, first);
  }
  return rebuilder;
}

Graph expand(const Graph& graph, Graph (Rebuilder::*finish)()) {
  Graph result = roll_loops(with_wide_integers(graph));
  const int transforms = count_transforms(graph);
  // A transform may need all rounds of the expansions before it.
  const int most = most_rounds * (1 + transforms);
  for (int round = 1;; ++round) {
    const auto& nodes = result.nodes();
    const auto left = std::find_if(nodes.begin(), nodes.end(), is_expandable);
    if (left == nodes.end()) break;
    if (round > most) faulty_record(*left->op, "it expands into itself");
    Rebuilder rebuilder = expanded_once(result, round);
    result = (rebuilder.*finish)();
  }
  // The gradient of a gradient reads the shapes of the first one.
  if (transforms > 0) result = read_early_likes(drop_rows(result));
  const bool has_loops = std::any_of(result.nodes().begin(), result.nodes().end(), is_scan);
  // vmap transposes the arguments of each loop anew, and only loops of equal arguments are merged.
  if (transforms > 0 && has_loops) result = eliminate_common_subexpressions(result);
  return merge_loops(result);
}

// Drops the gradients of loops without a bound that no output reads.
Graph without_unread(const Graph& graph) {
  return has_while_gradient(graph) ? narrow_loops(graph) : graph;
}

}  // namespace

Graph expand_ops(const Graph& graph) {
  return without_while_gradients(without_unread(expand(graph, &Rebuilder::finish)));
}
Graph expand_only(const Graph& graph) {
  return without_while_gradients(without_unread(expand(graph, &Rebuilder::finish_whole)));
}

}  // namespace mithril
