// The text of a graph for people, without the elements of large constants.
#pragma once

#include <string>

#include "mithril/graph/graph.hpp"

namespace mithril {

// The text of to_string, but a constant of more than 8 elements shows the first 8 and the number of
// the others. parse_graph refuses this text.
std::string short_text(const Graph& graph);

}  // namespace mithril
