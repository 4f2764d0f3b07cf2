// A model as its user composed it, for a page.
#pragma once

#include <set>
#include <string>

#include "mithril/viewer/part_places.hpp"
#include "mithril/viewer/view_graph.hpp"

namespace mithril {

// A node for each op of all levels, and one for each input that is not a parameter and each output.
// Inputs with these keys are parameters, besides those of layers. Values have what is known about
// them, with the port or the call that stated it.
ViewGraph view_of(const Composite& model, const PartPlaces& places,
                  const std::set<std::string>& parameters);

}  // namespace mithril
