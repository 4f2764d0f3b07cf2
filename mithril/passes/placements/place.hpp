// Places a training graph on the processes of a group: data parallel training.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// One value that the processes reduce together.
struct Collective {
  std::string path;       // the name of the value
  std::string reduction;  // "sum", "max", "min"
  DType dtype;
  std::vector<Dim> dims;         // empty if the rank is not known
  size_t bucket;                 // values of one bucket are exchanged at once
  std::optional<int64_t> bytes;  // none: the size is open
};

struct PlacedGraph {
  Graph graph;
  std::vector<Placement> inputs = {};        // per input
  std::vector<Placement> outputs = {};       // per output
  std::vector<Collective> collectives = {};  // in the order in which they start
};

// The graph is a program on whole batches. In the placed graph each process computes its part:
// process r of n has the rows floor(B r / n) to floor(B (r + 1) / n) of a batch of B rows, maybe
// none. Where a value is needed that no process has alone, the graph contains all_reduce_start and
// all_reduce_wait. Sharded outputs hold the rows of the process, the others are whole and have the
// same bits on every process. The order of collectives follows from the graph alone. For one
// process it is the same graph.
// StateError: E0950 a node mixes rows and has no rule, E0951 a sharded input has a fixed first
// axis, E0952 no sizes fit, E0953 a number of rows without a rule.
PlacedGraph place(const Graph& graph, const PlacementOptions& options);

}  // namespace mithril
