// States of loops that no step changes.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// For a graph whose loops are not rolled yet. The first value of a carry is an input among `states`
// and every step returns the carry as it is, as in inference: such a carry becomes a value that
// every step reads, and the last carry is the first one.
Graph without_fixed_carries(const Graph& graph, const std::vector<std::string>& states);

}  // namespace mithril
