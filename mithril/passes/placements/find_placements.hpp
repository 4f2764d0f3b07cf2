// Finds the placement of each value, and which values are reduced over the processes.
#pragma once
#include "mithril/passes/placements/batch_rows.hpp"
#include "mithril/passes/placements/found_placements.hpp"
#include "mithril/passes/placements/probe.hpp"

namespace mithril {

// `probe`: of the graph. StateError E0950 for a node that mixes rows, E0953 for a number of rows
// that the graph uses in a way without a rule.
FoundPlacements find_placements(const Graph& graph, const BatchRows& rows, const Probe& probe,
                                const PlacementOptions& options);

}  // namespace mithril
