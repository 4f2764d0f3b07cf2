// The options and results of PerSample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/passes/per_sample/query.hpp"

namespace mithril {

enum class LossReduction : std::uint8_t { sum, mean };

struct PerSampleOptions {
  // The output [B, ...] of the losses. The loss of a sample is the sum of its row, or its mean.
  std::string losses;
  LossReduction reduction = LossReduction::sum;
  // Data inputs whose first axis is not the batch, if their shapes do not show this.
  std::vector<std::string> shared = {};
  // Uses this strategy wherever possible, instead of the cheapest one; for benchmarks and tests.
  std::optional<Strategy> strategy = {};
};

struct SampleNorms {
  Tensor total;      // [B]: of the whole gradient of each sample
  TensorMap by_key;  // [B]: of its part for each parameter
};

struct SampleDots {
  Tensor total;                      // [B], or [B, V] with pairs
  TensorMap by_key;                  // its part for each parameter
  TensorMap gradients;               // the mean of the gradients of the training samples
  Tensor losses, validation_losses;  // [B] and [V]
  State state;                       // the next state
};
struct DotsOptions {
  bool pairs = false;  // dots with each validation sample, not with their sum
  LossReduction validation_reduction = LossReduction::sum;
};

struct ClippedGradients {
  TensorMap gradients;  // the sum over the samples of g_i * min(1, max_norm / |g_i|)
  Tensor norms;         // [B]: before clipping
  State state;          // the next state
};

enum class ProjectionKind : std::uint8_t { gaussian, rademacher, orthonormal };
// The rank of the parameters whose keys match `pattern`: `*` is any text, dots included, and `?`
// one character.
struct ProjectionRank {
  std::string pattern;
  std::int64_t rank = 0;  // 0: leaves them out
};
struct ProjectionOptions {
  // The number of projected elements of each parameter: r * s is at most this, and at most the
  // number of elements.
  std::int64_t rank = 256;
  std::uint64_t seed = 0;
  ProjectionKind kind = ProjectionKind::gaussian;
  // Other ranks. Of several patterns that match a key the first counts.
  std::vector<ProjectionRank> ranks = {};
  bool embeddings = true;    // false: leaves out tables that are looked up in, tied ones too
  bool convolutions = true;  // false: leaves out weights of convolutions
};
// The position of the projection of a parameter: values[:, start : start + left * right] holds the
// elements of a [left, right] matrix.
struct ProjectedParameter {
  std::string key;
  std::int64_t start = 0, left = 0, right = 0;
};
struct Projections {
  Tensor values;  // [B, R], in float32, or float64 of a model in float64
  std::vector<ProjectedParameter> metadata;
};

}  // namespace mithril
