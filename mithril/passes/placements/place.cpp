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

}  // namespace

PlacedGraph place(Graph graph, const PlacementOptions& options) {
  MITHRIL_CHECK(options.rank >= 0 && options.rank < options.size, "the rank is not in the group");
  if (options.size == 1) {
    return {graph, std::vector<Placement>(graph.inputs().size()),
            std::vector<Placement>(graph.outputs().size())};
  }
  BatchRows rows(graph, options.sharded_inputs);
  const auto expands = [&] {
    std::optional<Graph> expanded = expand_statistics(graph, rows);
    if (expanded) graph = *std::move(expanded);
    return expanded.has_value();
  };
  if (!expands()) graph.drop_unread();
  Probe sizes = probe(graph, rows);
  if (find_equal_sizes(graph, sizes, rows) && expands()) sizes = probe(graph, rows);
  const FoundPlacements found = find_placements(graph, rows, sizes, options);
  return write_placed(graph, rows, found, options);
}

}  // namespace mithril
