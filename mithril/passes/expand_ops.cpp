// Replaces nodes whose op has `expand` by the nodes that it builds.
#include <algorithm>

#include "mithril/graph/grad_context.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

constexpr int most_rounds = 50;

bool is_expandable(const Node& node) { return node.op->expand != nullptr; }

void expand(Rebuilder& rebuilder, const Graph& from, const Node& node, int round) {
  // Names of intermediate results are unique in each round.
  const std::string& name = from.value(node.outputs.front()).name;
  const std::string scope = round == 1 ? name : name + "." + std::to_string(round);
  Node mapped = rebuilder.map_arguments(node);
  mapped.outputs = node.outputs;  // for their number
  ExpandContext context(rebuilder.graph(), mapped, scope);
  node.op->expand(context);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (i >= context.results().size() || !context.results()[i])
      faulty_record(*node.op, "its expand does not say what each output becomes");
    rebuilder.become(node.outputs[i], *context.results()[i]);
  }
}

Rebuilder expanded_once(const Graph& graph, int round) {
  Rebuilder rebuilder(graph);
  for (const Node& node : graph.nodes()) {
    if (is_expandable(node)) {
      expand(rebuilder, graph, node, round);
    } else {
      rebuilder.keep(node);
    }
  }
  return rebuilder;
}

Graph expand(const Graph& graph, Graph (Rebuilder::*finish)()) {
  Graph result = graph;
  for (int round = 1;; ++round) {
    const auto& nodes = result.nodes();
    const auto left = std::find_if(nodes.begin(), nodes.end(), is_expandable);
    if (left == nodes.end()) return result;
    if (round > most_rounds) faulty_record(*left->op, "it expands into itself");
    Rebuilder rebuilder = expanded_once(result, round);
    result = (rebuilder.*finish)();
  }
}

}  // namespace

Graph expand_ops(const Graph& graph) { return expand(graph, &Rebuilder::finish); }
Graph expand_only(const Graph& graph) { return expand(graph, &Rebuilder::finish_whole); }

}  // namespace mithril
