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

// The names of an input and of the output that is its next value; empty: it does not change.
struct StateNames {
  std::string input, output;
};

struct KeptOutputs {
  Graph graph;
  std::vector<bool> has_state;  // per state
};

// Keeps the outputs `kept`. `all` are the outputs that users see, without those of states. Drops a
// state if its next value needs an input that only dropped outputs used.
KeptOutputs keep_outputs(const Graph& graph, const std::vector<std::string>& all,
                         const std::vector<std::string>& kept,
                         const std::vector<StateNames>& states);

// For each input of the graph, whether one of these outputs depends on it.
std::vector<bool> needed_inputs(const Graph& graph, const std::vector<Output>& outputs);
std::vector<bool> needed_inputs(const Graph& graph, const std::vector<std::string>& outputs);

// Drops the keys whose inputs are not in the graph. The others are in the order of the inputs.
void drop_missing(std::vector<InputKey>& keys, const Graph& graph);

}  // namespace mithril
