// Doing without outputs.
#pragma once

#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// The graph without these outputs and without the nodes, constants and inputs that served nothing
// but them.
Graph discard_outputs(const Graph& graph, const std::vector<std::string>& names);

}  // namespace mithril
