// Makes nodes of op `scan` of the ops that loops are composed of.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// Replaces scan_steps, scan_carry, scan_item, scan_last, scan_stack and the nodes between them by
// one node of op `scan` for each loop. Nodes that depend on no step stay outside of it.
// ConnectionError E0130 for a value of one step that is read outside of its loop, E0102 for a loop
// that reads its own result, E0131 for an op that cannot be in a loop; TypeError E0301 for a carry
// whose dtype changes.
Graph roll_loops(const Graph& graph);

// Of loops over the same arguments whose bodies have the same nodes, keeps the first, with the
// outputs of all: such as a loop and the one that stacks what its gradient reads.
Graph merge_loops(const Graph& graph);

}  // namespace mithril
