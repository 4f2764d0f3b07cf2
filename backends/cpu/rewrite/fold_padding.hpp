// Folds padding with zeros into the convolutions that read it.
#pragma once

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Replaces conv2d(pad(x)) by a convolution with more padding where the pad adds zeros to the height
// and the width only, by constant widths, and where only convolutions read it.
Graph fold_padding(Graph graph);

}  // namespace mithril::cpu_backend
