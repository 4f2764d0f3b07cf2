// The graph of one process of a group.
#pragma once
#include <cstddef>
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
  std::string group = {};        // the name of the communicator, in lists of whole graphs
};

struct PlacedGraph {
  Graph graph;
  std::vector<Placement> inputs = {};        // per input
  std::vector<Placement> outputs = {};       // per output
  std::vector<Collective> collectives = {};  // in the order in which they start
};

// The collectives of a graph that is placed on one mesh or several, in the order in which they
// start. `rows`: the prefix of the names of numbers of rows, which have it as their path.
std::vector<Collective> collectives_in(const Graph& graph, const std::string& rows);

}  // namespace mithril
