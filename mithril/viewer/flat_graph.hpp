// A graph that was made of a model, for a page.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "mithril/graph/graph.hpp"
#include "mithril/viewer/part_places.hpp"
#include "mithril/viewer/view_graph.hpp"

namespace mithril {

// Which inputs of a graph are not data, by name.
struct InputRoles {
  std::set<std::string, std::less<>> parameters, states;
};

// Nodes are in the groups of the parts that they come from. Nodes of one part are a group of its
// name. With `forward`, nodes whose values are not in that graph are in a group "gradient".
ViewGraph view_of(const Graph& graph, const PartPlaces& places, const InputRoles& roles,
                  const Graph* forward = nullptr);

}  // namespace mithril
