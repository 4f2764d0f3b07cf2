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

// The names of an input and of the output that is its next value; empty: it does not change.
struct StateNames {
  std::string input, output;
};

struct KeptOutputs {
  Graph graph;
  std::vector<bool> has_state;  // per state
};

// The graph with the outputs `kept` of the outputs `all`, which are not those of states. A state
// goes if its next value needs an input that served only removed outputs.
KeptOutputs keep_outputs(const Graph& graph, const std::vector<std::string>& all,
                         const std::vector<std::string>& kept,
                         const std::vector<StateNames>& states);

// Per input of the graph: whether one of these outputs depends on it.
std::vector<bool> needed_inputs(const Graph& graph, const std::vector<std::string>& outputs);

// Drops the keys whose inputs are not in the graph. The others are in the order of the inputs.
void drop_missing(std::vector<InputKey>& keys, const Graph& graph);

}  // namespace mithril
