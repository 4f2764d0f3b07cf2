// The model of a per-sample query: its gradient graph, and the sizes of the batches.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/passes/per_sample/sample_copy.hpp"
#include "mithril/passes/per_sample/strategy.hpp"

namespace mithril {

struct PerSampleInput {
  ValueId value;         // of the gradient graph
  bool batched = false;  // its first axis holds the samples
  bool data = false;     // not a parameter or state
};
struct PerSampleParameter {
  std::string key;
  ValueId input, gradient;
};

// The gradient graph of the losses, and what its values are.
struct PerSampleModel {
  const Graph& graph;
  std::vector<PerSampleInput> inputs;  // all but the last one, the gradient of the losses
  std::vector<PerSampleParameter> parameters;
  ValueId losses{};  // [samples, ...]
  std::vector<ValueId> next_states;
  bool mean_losses = false;  // the loss of a sample is the mean of its row, not the sum
};

// Plans and sample axes of the batches: of both sets together if they are joined.
struct PerSampleSizes {
  SampleSource training;
  std::optional<SampleSource> validation;  // if they are not joined
  int64_t samples = 0;                     // of the training set
  // The projections of each parameter: [rank, rows] and [rank, columns] of its matrix [dims[0],
  // product of the others].
  std::vector<std::pair<int64_t, int64_t>> ranks = {};
};

}  // namespace mithril
