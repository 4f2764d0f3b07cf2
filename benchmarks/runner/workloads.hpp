// The workloads: models with their inputs, and the weights under PyTorch's names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::bench {

enum class Optimizing { nothing, sgd, adam };

struct Workload {
  std::string name;
  std::function<Model()> model;  // with the inputs "x0", "x1", ... and, for training, "y"
  std::vector<Tensor> inputs;    // random ones, for runs without data
  // Training steps compute the output "loss" of the model. Other workloads compute "out".
  Optimizing optimizer = Optimizing::nothing;
  double learning_rate = 0;
};

// std::runtime_error for an unknown name, with a list of the known ones.
Workload workload(const std::string& name);

// The key of a model for the name of a weight in PyTorch: "l.0.weight" is l_0_weight.
std::string key_of(std::string name);

}  // namespace mithril::bench
