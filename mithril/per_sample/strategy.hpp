// How the samples of one parameter's gradient are computed, chosen by cost.
#pragma once
#include <string_view>
#include <vector>

#include "mithril/per_sample/terms.hpp"

namespace mithril {

enum class Strategy : uint8_t {
  gram,          // products of all pairs of rows; gradients are never made
  bilinear,      // the sum of the validation gradients first, then products with it
  materialized,  // the gradient of each sample
};
std::string_view name(Strategy strategy);  // "gram"

// What is asked of the gradients of the samples.
struct PerSampleQuestion {
  enum class Kind : uint8_t { gradients, norms, dots, weighted, clipped, projections };
  Kind kind = Kind::norms;
  int64_t validation = 0;        // samples of dots; 0: there are none
  bool pairs = false;            // dots with each validation sample, not with their sum
  bool mean_validation = false;  // dots with the mean of the validation gradients
  bool joined = false;           // training and validation samples run as one batch
  bool operator==(const PerSampleQuestion&) const = default;
};

struct StrategyCost {
  Strategy strategy;
  double flops = 0;
  double elements = 0;  // read and written, without the factors themselves
  // One element costs as much as so many operations: measured on the six linear layers of
  // benchmarks/per_sample.
  static constexpr double flops_per_element = 40;
  double total() const { return flops + flops_per_element * elements; }
};

// The possible strategies for the question, cheapest first; `samples`: of the training batch.
std::vector<StrategyCost> strategy_costs(const PerSampleQuestion& question,
                                         const ParameterTerms& terms, int64_t samples);

}  // namespace mithril
