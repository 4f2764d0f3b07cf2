#include "mithril/passes/narrow_loops.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/dependence.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/graph/open_sizes.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/early_likes.hpp"

namespace mithril {
namespace {

std::vector<size_t> all_of(size_t count) {
  std::vector<size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), size_t{0});
  return numbers;
}

// A graph with some of its outputs, and what these need.
class Narrowing {
 public:
  Narrowing(const Graph& graph, std::vector<size_t> outputs)
      : graph_(read_early_likes(graph)),
        outputs_(std::move(outputs)),
        is_read_(graph_.values().size()),
        nodes_(graph_.nodes().size()),
        prefix_(free_prefix(graph_, "sizes.")) {
    for (const size_t k : outputs_) is_read_[index(graph_.outputs()[k].value)] = true;
    for (size_t n = nodes_.size(); n-- > 0;) {
      nodes_[n] = narrowed(graph_.nodes()[n]);
      if (nodes_[n]) mark_arguments(*nodes_[n]);
    }
  }

  bool reads(size_t input) const { return is_read_[index(graph_.inputs()[input])]; }

  // With these inputs, among which are all that it reads.
  Graph graph(const std::vector<bool>& inputs) const {
    Graph made;
    made.share_facts(graph_);
    made.set_default_dtype(graph_.default_dtype());
    std::unordered_map<ValueId, ValueId> mapped;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId input = graph_.inputs()[i];
      if (inputs[i]) mapped.emplace(input, made.add_input(graph_.value(input)));
    }
    for (const Constant& constant : graph_.constants())
      mapped.emplace(constant.value,
                     made.add_constant(graph_.value(constant.value).name, constant.tensor));
    for (const std::optional<Node>& node : nodes_) {
      if (!node) continue;
      add_sizes(*node, made, mapped);
      copy_node(graph_, *node, made, mapped);
    }
    for (const size_t k : outputs_)
      made.add_output(graph_.outputs()[k].name, mapped.at(graph_.outputs()[k].value));
    made.drop_unread();
    return made;
  }

 private:
  // A value that a node reads only for its sizes is not needed: add_sizes puts zeros in its place.
  void mark_arguments(const Node& node) {
    const std::vector<bool> sizes = read_for_sizes(node);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (id && !(sizes[i] && graph_.value(*id).ranked)) is_read_[index(*id)] = true;
    }
  }

  void add_sizes(const Node& node, Graph& made,
                 std::unordered_map<ValueId, ValueId>& mapped) const {
    const std::vector<bool> sizes = read_for_sizes(node);
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[i]);
      if (!id || !sizes[i] || mapped.contains(*id)) continue;
      const Value& value = graph_.value(*id);
      mapped.emplace(*id, made.add(find_op("zeros"), {Datum::dims(value.dims), Datum(value.dtype)},
                                   prefix_ + value.name)
                              .front());
    }
  }

  std::optional<Node> narrowed(const Node& node) const {
    std::vector<bool> needed;
    for (const ValueId id : node.outputs) needed.push_back(is_read_[index(id)]);
    if (std::find(needed.begin(), needed.end(), true) == needed.end()) return {};
    if (is_scan(node)) return narrowed_scan(node, std::move(needed));
    if (is_cond(node)) return narrowed_cond(node, needed);
    return is_while(node) ? narrowed_while(node) : node;
  }

  static Node with_outputs(const Node& node, const std::vector<size_t>& kept) {
    Node made{node.op, {}, {}};
    for (const size_t k : kept) made.outputs.push_back(node.outputs[k]);
    return made;
  }

  static std::vector<size_t> indices(const std::vector<bool>& marked) {
    std::vector<size_t> found = all_of(marked.size());
    std::erase_if(found, [&](size_t k) { return !marked[k]; });
    return found;
  }

  Node narrowed_scan(const Node& node, std::vector<bool> needed) const {
    const ScanLoop scan = scan_of(node);
    add_read_carries(dependence(*nested_graph(node, "body"), Through::contents), scan.carries,
                     needed);
    const std::vector<size_t> kept = indices(needed);
    const Narrowing body(scan.body, kept);
    std::vector<bool> stays;
    for (size_t i = 0; i < scan.arguments.size(); ++i)
      stays.push_back(i < scan.carries ? needed[i] : body.reads(i));
    ScanLoop rest{.body = body.graph(stays),
                  .length = scan.length,
                  .reverse = scan.reverse,
                  .numbers = scan.numbers};
    for (const size_t i : indices(stays)) {
      rest.arguments.push_back(scan.arguments[i]);
      rest.carries += i < scan.carries;
      rest.sequences += i >= scan.carries && i < scan.carries + scan.sequences;
    }
    add_size_arguments(rest, scan, free_prefix(scan.body, "read."));
    Node made = with_outputs(node, kept);
    made.arguments = scan_arguments(graph_, rest);
    return made;
  }

  Node narrowed_cond(const Node& node, const std::vector<bool>& needed) const {
    const CondNode cond = cond_of(node);
    const std::vector<size_t> kept = indices(needed);
    Graph then, otherwise;
    const std::vector<size_t> read =
        narrow_both({&cond.then, kept}, {&cond.otherwise, kept}, 0, then, otherwise);
    CondNode rest{
        .then = std::move(then), .otherwise = std::move(otherwise), .condition = cond.condition};
    for (const size_t i : read) rest.arguments.push_back(cond.arguments[i]);
    for (const size_t k : kept) rest.results.push_back(cond.results[k]);
    Node made = with_outputs(node, kept);
    made.arguments = cond_arguments(rest);
    return made;
  }

  // With all carries, which the condition may read.
  Node narrowed_while(const Node& node) const {
    const WhileNode loop = while_of(node);
    WhileNode rest;
    const std::vector<size_t> read =
        narrow_both({&loop.condition, {0}}, {&loop.body, all_of(loop.carries())}, loop.carries(),
                    rest.condition, rest.body);
    for (const size_t i : read) rest.arguments.push_back(loop.arguments[i]);
    Node made = with_outputs(node, all_of(node.outputs.size()));
    made.arguments = while_arguments(graph_, rest);
    return made;
  }

  struct Wanted {
    const Graph* graph;
    std::vector<size_t> outputs;
  };

  // Narrows two graphs with the same inputs, of which the first `carries` stay. Returns the inputs
  // of the results.
  static std::vector<size_t> narrow_both(const Wanted& a, const Wanted& b, size_t carries,
                                         Graph& narrowed_a, Graph& narrowed_b) {
    const Narrowing of_a(*a.graph, a.outputs), of_b(*b.graph, b.outputs);
    std::vector<bool> stays;
    for (size_t i = 0; i < a.graph->inputs().size(); ++i)
      stays.push_back(i < carries || of_a.reads(i) || of_b.reads(i));
    narrowed_a = of_a.graph(stays);
    narrowed_b = of_b.graph(stays);
    std::vector<size_t> inputs = indices(stays);
    stays.flip();
    for (const size_t i : indices(stays)) {
      const Value &in_a = a.graph->value(a.graph->inputs()[i]),
                  &in_b = b.graph->value(b.graph->inputs()[i]);
      if (!has_open_size(narrowed_a, in_a) && !has_open_size(narrowed_b, in_b)) continue;
      narrowed_a.add_input(in_a);
      narrowed_b.add_input(in_b);
      inputs.push_back(i);
    }
    return inputs;
  }

  const Graph graph_;
  const std::vector<size_t> outputs_;
  std::vector<bool> is_read_;               // per value
  std::vector<std::optional<Node>> nodes_;  // of graph_, with its values
  const std::string prefix_;                // of zeros
};

}  // namespace

Graph narrow_loops(const Graph& graph) {
  return Narrowing(graph, all_of(graph.outputs().size()))
      .graph(std::vector<bool>(graph.inputs().size(), true));
}

}  // namespace mithril
