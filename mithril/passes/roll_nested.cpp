// Finds loops and branches, the innermost ones first.
#include <algorithm>
#include <set>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
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

// The path of the loop or the choice with this begin, with a dot. Empty: the whole model.
std::string part_of(const Graph& graph, ValueId token) {
  const std::string& begin = graph.value(token).name;
  return begin.substr(0, begin.rfind('.', begin.rfind('.') - 1) + 1);
}

// The path of its body or branch with this value, with a dot. None: the value is in neither.
std::optional<std::string> part_inside(const Graph& graph, ValueId token, ValueId id) {
  const std::string &name = graph.value(id).name, part = part_of(graph, token);
  const size_t end = name.find('.', part.size());
  if (!name.starts_with(part) || end == std::string::npos) return {};
  return name.substr(0, end + 1);
}

// Whether the node begins what a transform in the part of `token` sees.
bool enters_transform(const Graph& graph, const Node& maker, ValueId token) {
  const bool enters = maker.op->transform ? !maker.op->expand : maker.op->name == "buffer";
  return enters && graph.value(maker.outputs.front()).name.starts_with(part_of(graph, token));
}

// The nodes of this part read a copy of the value.
Graph with_copy(const Graph& graph, ValueId id, const std::string& part) {
  Rebuilder rebuilder(graph);
  std::optional<ValueId> copy;
  for (const Node& node : graph.nodes()) {
    Node mapped = rebuilder.map_arguments(node);
    const bool of_part = graph.value(node.outputs.front()).name.starts_with(part);
    for (size_t i = 0; i < mapped.arguments.size() && of_part; ++i) {
      const ValueId* read = tensor_of(node.arguments[i]);
      if (!read || *read != id) continue;
      if (!copy)
        copy = rebuilder.graph()
                   .add(find_op("buffer"), {rebuilder.map(id)},
                        part + "outside." + graph.value(id).name)
                   .front();
      mapped.arguments[i] = *copy;
    }
    rebuilder.add(std::move(mapped), node.outputs);
  }
  return rebuilder.finish();
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

std::optional<Graph> with_own_input(const Graph& graph, const std::vector<bool>& inside,
                                    ValueId token) {
  for (const Node& node : graph.nodes()) {
    const ValueId made = node.outputs.front();
    if (!inside[index(made)]) continue;
    const std::vector<ValueId> outside = transformed_outside(node, inside);
    if (outside.empty()) continue;
    const std::optional<std::string> part = part_inside(graph, token, made);
    if (part) return with_copy(graph, outside.front(), *part);
  }
  return {};
}

std::vector<size_t> pulled_in_nodes(const Graph& graph, size_t transform,
                                    const std::vector<bool>& inside,
                                    const std::vector<std::optional<size_t>>& makers,
                                    ValueId token) {
  std::vector<size_t> pulled;
  for (ValueId id : transformed_outside(graph.nodes()[transform], inside)) {
    const ValueId entry = behind_hooks(graph, makers, id);
    const auto& maker = makers[index(entry)];
    if (!maker || !enters_transform(graph, graph.nodes()[*maker], token)) continue;
    pulled.push_back(*maker);
    for (; id != entry; id = *tensor_of(graph.nodes()[pulled.back()].arguments.front()))
      pulled.push_back(*makers[index(id)]);
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
