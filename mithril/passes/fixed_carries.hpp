// States of loops and of branches that no step and no branch changes.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// For a graph whose loops are not rolled yet. The first value of a carry is an input among `states`
// and every step returns the carry as it is, as in inference: such a carry becomes a value that
// every step reads, and the last carry is the first one. The result of a choice between such a
// state and itself is the state.
Graph without_fixed_carries(const Graph& graph, const std::vector<std::string>& states);

}  // namespace mithril
