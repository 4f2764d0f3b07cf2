// Joins the gradients of slices.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// The gradient of each slice is a tensor of zeros with the slice in it. Replaces a sum of those of
// all slices along one axis, which do not overlap, by a concatenation: the gates of a recurrent
// layer, for example. Differs only in the sign of zeros.
Graph join_slice_gradients(Graph graph);

}  // namespace mithril::cpu_backend
