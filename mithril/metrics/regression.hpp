// Evaluators of numbers.
#pragma once

#include <cstdint>

#include "mithril/metrics/evaluator.hpp"
#include "mithril/metrics/exact_sum.hpp"

namespace mithril::metrics {

// The mean over all elements of the squared difference. Predictions and targets have the same dims.
class MeanSquaredError : public Evaluator {
 public:
  explicit MeanSquaredError(EvaluatedKeys keys = {}) : keys_(std::move(keys)) {}
  std::string_view name() const override { return "MeanSquaredError"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override;

 private:
  EvaluatedKeys keys_;
  ExactSum sum_;
  std::int64_t elements_ = 0;
};

}  // namespace mithril::metrics
