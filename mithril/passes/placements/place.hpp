// Places a training graph on the processes of a group: data parallel training.
#pragma once
#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/graph_part.hpp"
#include "mithril/passes/placements/placed_graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// The graph is a program on whole batches. In the placed graph each process computes its part:
// process r of n has the rows floor(B r / n) to floor(B (r + 1) / n) of a batch of B rows, maybe
// none. Where a value is needed that no process has alone, the graph contains all_reduce_start and
// all_reduce_wait. Sharded outputs hold the rows of the process, the others are whole and have the
// same bits on every process. The order of collectives follows from the graph alone. For one
// process it is the same graph.
// StateError: E0950 a node mixes rows and has no rule, E0951 a sharded input has a fixed first
// axis, E0952 no sizes fit, E0953 a number of rows without a rule.
PlacedGraph place(const Graph& graph, const PlacementOptions& options);
// The same for a part of a graph.
PlacedGraph place(const GraphPart& part, const PlacementOptions& options);

}  // namespace mithril
