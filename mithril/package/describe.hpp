// The inputs and outputs of a model whose parameters are given.
#pragma once

#include <string>
#include <vector>

#include "mithril/package/package.hpp"

namespace mithril {

struct ModelPorts {
  std::vector<PackagePort> inputs, outputs;
  std::vector<std::string> spare_parameters;  // given, but not needed by the outputs
  std::vector<std::string> backends;          // that have all ops
};

// The ports of `options.outputs`. InputError E0862 unless `params` has exactly the parameters of
// the model, and `state` no other keys than its states, all with dims and kinds that fit. What the
// outputs do not need may be missing. Inputs in `options.data_keys` are not parameters.
ModelPorts describe_ports(const Model& model, const TensorMap& params, const State& state,
                          const SavePackageOptions& options);

}  // namespace mithril
