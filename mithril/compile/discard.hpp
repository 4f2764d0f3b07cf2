// Removes outputs of graphs.
#pragma once

#include <string>
#include <vector>

#include "mithril/compile/key_classes.hpp"

namespace mithril {

// The graph without these outputs and without the nodes, constants and inputs that served only
// them. Inputs in `inputs_to_keep` stay.
Graph discard_outputs(const Graph& graph, const std::vector<std::string>& names,
                      const std::vector<std::string>& inputs_to_keep = {});

// For each input of the graph, whether an output depends on it.
std::vector<bool> inputs_read(const Graph& graph);

// Drops the keys whose inputs are not in the graph. The others are in the order of the inputs.
void drop_missing(std::vector<InputKey>& keys, const Graph& graph);

}  // namespace mithril
