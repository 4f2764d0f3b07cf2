// Writes the graph of one process from the placements of the values.
#pragma once
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/find_placements.hpp"
#include "mithril/passes/placements/placed_graph.hpp"

namespace mithril {

// Inserts the exchange of reduced values, in buckets, and the changes of nodes. `placements`: of
// the graph.
PlacedGraph write_placed(const Graph& graph, const BatchRows& rows,
                         const FoundPlacements& placements, const PlacementOptions& options);

}  // namespace mithril
