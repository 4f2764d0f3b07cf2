// Linear layers with an activation, and chains of them.
#pragma once
#include "mithril/models/part_argument.hpp"

namespace mithril {

struct LayerOptions {
  PartArgument activation = "Relu";  // a part with one canonical input
  std::optional<int64_t> dimension = {};
};
// activation(input @ weight.T + bias). Ports: input, weight, bias, output.
Model Layer(const LayerOptions& options);

struct MLPOptions {
  std::vector<PartArgument> activations;  // one for each layer
  std::vector<int64_t> dimensions;        // outputs of each layer
};
// Ports: input, weight0, bias0, weight1, bias1, ..., output.
Model MLP(const MLPOptions& options);

}  // namespace mithril
