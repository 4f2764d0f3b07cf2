// How the samples of one parameter's gradient are computed, chosen by cost.
#pragma once
#include <vector>

#include "mithril/passes/per_sample/query.hpp"
#include "mithril/passes/per_sample/terms.hpp"

namespace mithril {

struct StrategyCost {
  Strategy strategy;
  double flops = 0;
  double elements = 0;  // read and written, without the factors themselves
  // Operations that cost as much as one element of memory traffic. An estimate for processors
  // of two to eight cores: 4 bytes at 10 GB/s beside 250 Gflop/s.
  static constexpr double flops_per_element = 100;
  double total() const { return flops + flops_per_element * elements; }
};

// The possible strategies for the query, cheapest first; `samples`: of the training batch.
std::vector<StrategyCost> strategy_costs(const PerSampleQuery& query, const ParameterTerms& terms,
                                         int64_t samples);

}  // namespace mithril
