// A query about the gradients of the samples, and the strategies that compute its result.
#pragma once
#include <cstdint>
#include <string_view>

namespace mithril {

enum class Strategy : uint8_t {
  gram,          // products of all pairs of rows; gradients are never made
  bilinear,      // the sum of the validation gradients first, then products with it
  materialized,  // the gradient of each sample
};
std::string_view name(Strategy strategy);  // "gram"

// A query about the gradients of the samples.
struct PerSampleQuery {
  enum class Kind : uint8_t { gradients, norms, dots, weighted, clipped, projections };
  Kind kind = Kind::norms;
  int64_t validation = 0;        // samples of dots; 0: there are none
  bool pairs = false;            // dots with each validation sample, not with their sum
  bool mean_validation = false;  // dots with the mean of the validation gradients
  bool joined = false;           // training and validation samples run as one batch
  bool operator==(const PerSampleQuery&) const = default;
};

}  // namespace mithril
