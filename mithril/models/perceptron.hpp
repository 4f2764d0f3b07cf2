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
  // {{"weight", "w"}, {"bias", "b"}} calls the parameters w0, b0, w1, b1, ...
  std::vector<std::pair<std::string, std::string>> input_name_templates = {};
};
// Ports: input, weight0, bias0, weight1, bias1, ..., output.
Model MLP(const MLPOptions& options);

}  // namespace mithril
