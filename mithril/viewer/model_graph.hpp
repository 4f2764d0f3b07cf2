// A model as its user composed it, for a page.
#pragma once

#include "mithril/viewer/part_places.hpp"
#include "mithril/viewer/view_graph.hpp"

namespace mithril {

// A node for each op of all levels, and one for each input that is no parameter and each output.
// Values have what is known about them, with the port or the call that stated it.
ViewGraph view_of(const Composite& model, const PartPlaces& places);

}  // namespace mithril
