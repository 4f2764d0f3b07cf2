// Finds loops and branches, the innermost ones first.
#include <algorithm>
#include <set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/roll_loops.hpp"

namespace mithril {
namespace {

constexpr const char* nesting_ops[] = {"scan_steps",   "scan_carry",   "scan_item",
                                       "scan_last",    "scan_stack",   "branch_condition",
                                       "branch_input", "branch_result"};

bool begins_branches(const Node& node) { return node.op->name == "branch_condition"; }
bool begins_nesting(const Node& node) {
  return node.op->name == "scan_steps" || begins_branches(node);
}

// Whether the node begins what a transform in the part of `token` sees.
bool enters_transform(const Graph& graph, const Node& maker, ValueId token) {
  if (maker.op->transform) return !maker.op->expand;
  if (maker.op->name != "buffer") return false;
  const std::string& begin = graph.value(token).name;
  const std::string part = begin.substr(0, begin.rfind('.', begin.rfind('.') - 1) + 1);
  return graph.value(maker.outputs.front()).name.starts_with(part);
}

}  // namespace

bool is_nesting_op(const Node& node) {
  return std::any_of(std::begin(nesting_ops), std::end(nesting_ops),
                     [&](const char* name) { return node.op->name == name; });
}

ValueId behind_hooks(const Graph& graph, const std::vector<std::optional<size_t>>& makers,
                     ValueId id) {
  const auto& maker = makers[index(id)];
  if (!maker || !graph.nodes()[*maker].op->opaque) return id;
  return behind_hooks(graph, makers, *tensor_of(graph.nodes()[*maker].arguments.front()));
}

std::vector<ValueId> transformed_outside(const Node& node, const std::vector<bool>& inside) {
  if (!node.op->transform || !node.op->expand) return {};
  // A derivative only reads its other inputs.
  const bool derives = node.op->name == "gradient_of";
  const size_t first = node.argument_index(derives ? "wrt" : "values");
  std::vector<ValueId> outside;
  for (size_t i = first; i < first + node.list_size(); ++i) {
    const ValueId id = *tensor_of(node.arguments[i]);
    if (!inside[index(id)]) outside.push_back(id);
  }
  return outside;
}

void refuse_transform(const Graph& graph, const Node& node, ValueId outside,
                      const std::string& place) {
  raise({.kind = ErrorKind::connection,
         .code = "E0131",
         .path = graph.value(node.outputs.front()).name,
         .message = "op '" + node.op->name + "' cannot be in a " + place + ": it transforms '" +
                    graph.value(outside).name + "', which no step or branch makes",
         .help = "differentiate a model in the " + place +
                 ": ml.Gradient(model, of=..., wrt=[...]), or make the value " +
                 (place == "loop" ? "a carry that does not change" : "an input of the branch")});
}

std::vector<size_t> pulled_in_nodes(const Graph& graph, size_t transform,
                                    const std::vector<bool>& inside,
                                    const std::vector<std::optional<size_t>>& makers,
                                    ValueId token) {
  std::vector<size_t> pulled;
  for (const ValueId id : transformed_outside(graph.nodes()[transform], inside)) {
    const auto& maker = makers[index(id)];
    if (maker && enters_transform(graph, graph.nodes()[*maker], token)) pulled.push_back(*maker);
  }
  return pulled;
}

std::vector<bool> values_of_nested(const Graph& graph) {
  // Per value: the begins of the loops and choices around it.
  std::vector<std::set<ValueId>> around(graph.values().size());
  for (const Node& node : graph.nodes()) {
    std::set<ValueId> own;
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument))
        own.insert(around[index(*id)].begin(), around[index(*id)].end());
    }
    const std::string_view name = node.op->name;
    const bool enters = name == "scan_carry" || name == "scan_item" || name == "branch_input";
    const bool leaves = name == "scan_last" || name == "scan_stack" || name == "branch_result";
    if (enters || leaves) {
      const char* const port = name.starts_with("scan_") ? "steps" : "condition";
      const ValueId begin = *tensor_of(node.arguments[node.argument_index(port)]);
      enters ? void(own.insert(begin)) : void(own.erase(begin));
    }
    for (const ValueId id : node.outputs) around[index(id)] = own;
  }
  std::vector<bool> nested;
  for (const std::set<ValueId>& begins : around) nested.push_back(!begins.empty());
  return nested;
}

Graph roll_loops(const Graph& graph) {
  Graph result = graph;
  for (;;) {
    std::vector<size_t> begins;
    const auto& nodes = result.nodes();
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (begins_nesting(nodes[n])) begins.push_back(n);
    }
    if (begins.empty()) return result;
    std::optional<Graph> rolled;
    for (const size_t begin : begins) {
      rolled =
          begins_branches(nodes[begin]) ? roll_branches(result, begin) : roll_loop(result, begin);
      if (rolled) break;
    }
    if (!rolled) {
      const size_t begin = begins.front();
      begins_branches(nodes[begin]) ? refuse_mixed_branches(result, begin)
                                    : refuse_mixed_loop(result, begin);
    }
    result = *std::move(rolled);
  }
}

}  // namespace mithril
