// The inputs and outputs of a model whose parameters are given.
#pragma once

#include <string>
#include <vector>

#include "mithril/package/package.hpp"

namespace mithril {

struct ModelPorts {
  std::vector<PackagePort> inputs, outputs;
};

// InputError E0862 unless `params` has exactly the parameters of the model, and `state` no other
// keys than its states, all with dims and kinds that fit. Inputs in `data_keys` are not parameters.
ModelPorts describe_ports(const Model& model, const TensorMap& params, const State& state,
                          const std::vector<std::string>& data_keys);

}  // namespace mithril
