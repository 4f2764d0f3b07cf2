// Errors of nodes that processes cannot compute on their rows.
#pragma once
#include <string>

#include "mithril/graph/graph.hpp"

namespace mithril {

// StateError E0950: the node mixes the rows that `processes` share. `help`: empty: for any node.
[[noreturn]] void refuse_mixed_rows(const Graph& graph, const Node& node, int processes,
                                    const std::string& why, const std::string& help = "");
// StateError E0953: it reads a number of rows at the port, as this datum.
[[noreturn]] void refuse_number_of_rows(const Graph& graph, const Node& node,
                                        const std::string& port, const Datum& number);

}  // namespace mithril
