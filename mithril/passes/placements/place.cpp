#include "mithril/passes/placements/place.hpp"

#include <optional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/expand_statistics.hpp"
#include "mithril/passes/placements/find_placements.hpp"
#include "mithril/passes/placements/write_placed.hpp"

namespace mithril {
namespace {

// The batch of an argument that has rows; 0: none has.
size_t batch_of_arguments(const Graph& graph, const Node& node, const BatchRows& rows) {
  for (const Argument& argument : node.arguments) {
    const ValueId* id = tensor_of(argument);
    if (!id) continue;
    for (const Dim& dim : graph.value(*id).dims) {
      if (const std::optional<size_t> batch = rows.has(dim) ? rows.batch_of(dim) : std::nullopt)
        return *batch;
    }
  }
  return 0;
}

// Sizes that are equal to a batch wherever they fit, and that inference did not find equal: those
// of values that two inputs broadcast to. Other symbols that span the batch become unclear.
bool find_equal_sizes(const Graph& graph, const Probe& probe, BatchRows& rows) {
  bool found = false;
  for (const Node& node : graph.nodes()) {
    for (const ValueId output : node.outputs) {
      const Value& value = graph.value(output);
      for (size_t axis = 0; axis < value.dims.size(); ++axis) {
        const Dim dim = resolve(value.dims[axis]);
        const bool spans = probe.numbers.dims(output)[axis] == probe.batch;
        if (!dim.symbol() || !spans || rows.has(dim)) continue;
        rows.add_equal(dim, batch_of_arguments(graph, node, rows));
        found = true;
      }
    }
  }
  for (Symbol* symbol : symbols_of_rows(graph, probe)) {
    if (!rows.has(Dim(symbol))) rows.add_unclear(Dim(symbol));
  }
  return found;
}

std::vector<bool> sharded_inputs(const GraphPart& part, const PlacementOptions& options) {
  std::vector<bool> sharded = options.sharded_inputs;
  const std::vector<ValueId>& inputs = part.graph.inputs();
  for (size_t i = 0; i < inputs.size() && i < sharded.size(); ++i)
    sharded[i] = sharded[i] && part.has(inputs[i]);
  return sharded;
}

}  // namespace

PlacedGraph place(const GraphPart& part, const PlacementOptions& options) {
  MITHRIL_CHECK(options.rank >= 0 && options.rank < options.size, "the rank is not in the group");
  if (options.size == 1) {
    Graph graph = part.copy();
    const size_t inputs = graph.inputs().size(), outputs = graph.outputs().size();
    return {std::move(graph), std::vector<Placement>(inputs), std::vector<Placement>(outputs)};
  }
  BatchRows rows(part.graph, sharded_inputs(part, options));
  std::optional<Graph> expanded = expand_statistics(part, rows);
  Graph graph = expanded ? *std::move(expanded) : part.copy();
  if (!expanded) graph.drop_unread();
  Probe sizes = probe(graph, rows);
  if (find_equal_sizes(graph, sizes, rows)) {
    if (std::optional<Graph> again = expand_statistics(GraphPart(graph), rows)) {
      graph = *std::move(again);
      sizes = probe(graph, rows);
    }
  }
  const FoundPlacements found = find_placements(graph, rows, sizes, options);
  return write_placed(graph, rows, found, options);
}

PlacedGraph place(const Graph& graph, const PlacementOptions& options) {
  return place(GraphPart(graph), options);
}

}  // namespace mithril
