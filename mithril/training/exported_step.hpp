// A training step as one graph, for files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

struct ExportedStep {
  struct Input {
    std::string name;
    std::optional<Tensor> value = {};  // none: a data input
    bool is_fixed = false;             // no step changes it
  };
  // The outputs of the model before the update, and the next values of parameters, states, slots
  // ("fc1.weight.exp_avg") and counts. They have the names of the inputs with "_next".
  Graph graph;
  std::vector<Input> inputs;         // in the order of graph.inputs()
  std::vector<std::string> outputs;  // the names, in the order of graph.outputs()
};

}  // namespace mithril
