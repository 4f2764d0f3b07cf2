// A model as one flat graph.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/model/model.hpp"

namespace mithril {

struct FlatState {
  std::string input, output;  // names in the graph; the output is a graph output of that name
  InitialState initial;
};
struct FlatModel {
  Graph graph;  // inputs: every tensor input; outputs: the model's output keys, then states'
  std::vector<Wire*> inputs;  // in the order of graph.inputs()
  std::vector<FlatState> states;
};

// Symbols are renamed into the graph's own table, so no pass can touch the model. Values are folded
// away; one that is not known is ValueError E0403 naming the port. ConnectionError E0102 names a
// cycle. Without recursion.
FlatModel flatten(const Model& model, DType default_dtype);

// The name of the value on a wire of the model in the graph.
std::string name_in_graph(const Composite& model, Wire* wire);

}  // namespace mithril
