// States of loops and branches that nothing changes.
#pragma once
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"

namespace mithril {

// For a graph whose loops are not rolled yet. A carry is fixed if it begins as an input among
// `states`, and every step returns it as it is, as in inference. It becomes a value that every step
// reads, and the last carry is the first one. A choice whose branches both return the same state
// becomes that state, and so does the next state of a vmap that no index changes.
Graph without_fixed_carries(const Graph& graph, const std::vector<std::string>& states);

}  // namespace mithril
