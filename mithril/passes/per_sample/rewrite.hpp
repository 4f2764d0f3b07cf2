// Rewrites a gradient graph so that it computes a query about the gradient of each sample.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/passes/per_sample/model.hpp"

namespace mithril {

// How one parameter is computed.
struct PerSampleChoice {
  std::string key;
  Strategy strategy = Strategy::materialized;
  std::vector<StrategyCost> possible = {};  // cheapest first
  std::vector<std::string> terms = {};     // "matmul of layer.output: 64 samples x 32 products ..."
  std::vector<std::string> unrolled = {};  // nodes that run once for each sample
};

// Inputs: those of the model with the training data; of dots the validation data, as the data
// inputs among them; of weighted gradients the weights [n]; of clipped gradients the greatest norm,
// a number; of projections two matrices for each parameter. Outputs, each for all parameters in
// their order:
//   gradients    [n, ...]
//   norms        norms [n]; then those of whole gradients [n]
//   dots         dots [n] or [n, m]; then their sum over the parameters; mean gradients; the losses
//                of both sets
//   weighted     weighted sums of gradients
//   clipped      sums of clipped gradients; then the norms [n] of whole gradients
//   projections  one output for all, [n, sum of r * s]
// Then the next states.
struct PerSampleGraph {
  Graph graph;
  std::vector<PerSampleChoice> choices = {};
};

// `only`: this strategy where it is possible.
PerSampleGraph rewrite_per_sample(const PerSampleModel& model, const PerSampleQuery& query,
                                  const PerSampleSizes& sizes,
                                  std::optional<Strategy> only = std::nullopt);

}  // namespace mithril
