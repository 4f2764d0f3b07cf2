// Ports `like` read early values.
#pragma once
#include "mithril/graph/graph.hpp"

namespace mithril {

// An op reads the dims and the dtype of its port `like`, not the elements. So each port `like`
// reads the first value of equal dims and dtype instead, and a value that only such ports read is
// not computed. Keeps unread nodes.
Graph read_early_likes(const Graph& graph);

}  // namespace mithril
