// What is measured: models with their inputs, and the weights by the names that PyTorch gives them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

namespace mithril::bench {

struct Workload {
  std::string name;
  std::function<Model()> model;  // of the inputs "x0", "x1", ... and, where it trains, "y"
  std::vector<Tensor> inputs;    // random ones, for runs without data
  // Of SGD, whose steps are measured, with the output "loss"; 0: the output "out" is computed.
  double learning_rate = 0;
};

// std::runtime_error for a name that there is not, with those that there are.
Workload workload(const std::string& name);

// The key of a model for the name of a weight in PyTorch: "l.0.weight" is l_0_weight.
std::string key_of(std::string name);

}  // namespace mithril::bench
