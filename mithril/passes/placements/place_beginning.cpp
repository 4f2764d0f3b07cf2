#include "mithril/passes/placements/place_beginning.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/passes/placements/graph_part.hpp"
#include "mithril/passes/placements/place.hpp"

namespace mithril {
namespace {

class DividedGraph {
 public:
  DividedGraph(const Graph& graph, const Beginning& beginning)
      : graph_(graph),
        beginning_(beginning),
        is_input_(graph.values().size()),
        constants_(graph.values().size(), nullptr),
        is_read_(graph.values().size()) {
    for (const ValueId id : graph.inputs()) is_input_[index(id)] = true;
    for (const Constant& constant : graph.constants())
      constants_[index(constant.value)] = &constant.tensor;
    while (kept_ < graph.outputs().size() && is_first(graph.outputs()[kept_].value)) ++kept_;
    for (size_t i = beginning.nodes; i < graph.nodes().size(); ++i) {
      for (const Argument& argument : graph.nodes()[i].arguments) {
        if (const ValueId* id = tensor_of(argument)) read(*id);
      }
    }
    for (size_t i = kept_; i < graph.outputs().size(); ++i) read(graph.outputs()[i].value);
  }

  // Whether the rest reads only values that each process has all of.
  bool reads_whole(const PlacedGraph& placed) const {
    for (size_t i = 0; i < placed.inputs.size(); ++i) {
      if (is_read_[index(graph_.inputs()[i])] && !(placed.inputs[i] == Placement{})) return false;
    }
    return std::all_of(placed.outputs.begin() + static_cast<std::ptrdiff_t>(kept_),
                       placed.outputs.end(),
                       [](const Placement& placement) { return placement == Placement{}; });
  }

  // The beginning. Its further outputs are what the rest reads of it, inputs excepted.
  GraphPart first() const {
    GraphPart part{graph_, beginning_.values, beginning_.nodes, {}};
    part.outputs.assign(graph_.outputs().begin(),
                        graph_.outputs().begin() + static_cast<std::ptrdiff_t>(kept_));
    for (const ValueId id : crossing_) part.outputs.push_back({graph_.value(id).name, id});
    return part;
  }

  // `placed`: what became of the beginning.
  Graph with_rest(Graph placed) const {
    std::vector<ValueId> now(graph_.values().size(), ValueId{-1});
    for (size_t i = 0; i < placed.inputs().size(); ++i)
      now[index(graph_.inputs()[i])] = placed.inputs()[i];
    for (size_t i = 0; i < crossing_.size(); ++i)
      now[index(crossing_[i])] = placed.outputs()[kept_ + i].value;
    placed.keep_outputs(kept_);
    const size_t values = graph_.values().size(), nodes = graph_.nodes().size();
    placed.reserve(placed.values().size() + values - beginning_.values,
                   placed.nodes().size() + nodes - beginning_.nodes);
    for (size_t i = beginning_.values; i < values; ++i)
      now[i] = copy_value(static_cast<ValueId>(i), placed);
    for (size_t i = beginning_.nodes; i < nodes; ++i) {
      Node node = graph_.nodes()[i];
      for (Argument& argument : node.arguments) {
        if (ValueId* id = std::get_if<ValueId>(&argument)) *id = now[index(*id)];
      }
      for (ValueId& id : node.outputs) id = now[index(id)];
      placed.add_node(std::move(node));
    }
    for (size_t i = kept_; i < graph_.outputs().size(); ++i)
      placed.add_output(graph_.outputs()[i].name, now[index(graph_.outputs()[i].value)]);
    return placed;
  }

 private:
  bool is_first(ValueId id) const { return index(id) < beginning_.values; }

  void read(ValueId id) {
    if (!is_first(id) || is_read_[index(id)]) return;
    is_read_[index(id)] = true;
    if (!is_input_[index(id)]) crossing_.push_back(id);
  }

  ValueId copy_value(ValueId id, Graph& to) const {
    const Value& value = graph_.value(id);
    if (is_input_[index(id)]) return to.add_input(value);
    const Tensor* const constant = constants_[index(id)];
    return constant ? to.add_constant(value.name, *constant) : to.add_value(value);
  }

  const Graph& graph_;
  const Beginning beginning_;
  std::vector<bool> is_input_;            // per value
  std::vector<const Tensor*> constants_;  // per value; null: it is none
  std::vector<bool> is_read_;             // per value: whether a node after the beginning reads it
  std::vector<ValueId> crossing_;
  size_t kept_ = 0;  // outputs of the beginning
};

}  // namespace

std::optional<Graph> place_beginning(const Graph& graph, const Beginning& beginning,
                                     const PlacementOptions& options) {
  MITHRIL_CHECK(options.partial_inputs.empty() && options.partial_outputs.empty(),
                "the beginning of a graph has no partial inputs or outputs");
  const DividedGraph divided(graph, beginning);
  PlacedGraph placed = place(divided.first(), options);
  if (!divided.reads_whole(placed)) return std::nullopt;
  return divided.with_rest(std::move(placed.graph));
}

}  // namespace mithril
