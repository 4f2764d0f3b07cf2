// Finds the outputs of a model that only training needs.
#pragma once

#include <string>
#include <vector>

#include "mithril/compile/key_classes.hpp"

namespace mithril {

// The outputs that are left out in inference mode unless they are asked for: what a training model
// adds, and otherwise what a loss or a metric of the library computes if it is one number or needs
// data that no other output needs, such as labels. None if the model has no other outputs.
// `keys`: those of the inputs of the graph; `outputs`: those of its outputs that users see.
std::vector<std::string> objective_outputs(const Composite& model, const Graph& graph,
                                           const std::vector<InputKey>& keys,
                                           const std::vector<std::string>& outputs);

}  // namespace mithril
