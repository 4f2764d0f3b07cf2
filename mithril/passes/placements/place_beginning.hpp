// Places the gradient of a training step, and leaves the update of the optimizer as it is.
#pragma once
#include <cstddef>
#include <optional>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/placements/placement.hpp"

namespace mithril {

// How many values and nodes of a graph come first.
struct Beginning {
  size_t values = 0, nodes = 0;
};

// As `place`, but the nodes after the beginning stay: they read only values that are whole there,
// so that each process computes all of them. This takes less time, because an update has more nodes
// than the gradient. Empty if they read rows of a process. No input or output is partial.
std::optional<Graph> place_beginning(const Graph& graph, const Beginning& beginning,
                                     const PlacementOptions& options);

}  // namespace mithril
