// What is measured: models with their inputs, and the weights by the names that PyTorch gives them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mithril/mithril.hpp"

namespace mithril::bench {

enum class Optimizing { nothing, sgd, adam };

struct Workload {
  std::string name;
  std::function<Model()> model;  // of the inputs "x0", "x1", ... and, where it trains, "y"
  std::vector<Tensor> inputs;    // random ones, for runs without data
  // Where steps of training are measured, which have the output "loss"; else "out" is computed.
  Optimizing optimizer = Optimizing::nothing;
  double learning_rate = 0;
};

// std::runtime_error for a name that there is not, with those that there are.
Workload workload(const std::string& name);

// The key of a model for the name of a weight in PyTorch: "l.0.weight" is l_0_weight.
std::string key_of(std::string name);

}  // namespace mithril::bench
