// Evaluators of scores that rank rows.
#pragma once

#include <vector>

#include "mithril/metrics/evaluator.hpp"

namespace mithril::metrics {

// The area under the ROC curve: the probability that a row with target 1 has a larger score than
// one with target 0, where equal scores count half. Predictions are floats and targets 0 and 1
// (ints or bools) of the same dims. All scores are kept. compute: ValueError E0451 if all targets
// are equal.
class AreaUnderCurve : public Evaluator {
 public:
  explicit AreaUnderCurve(EvaluatedKeys keys = {}) : keys_(std::move(keys)) {}
  std::string_view name() const override { return "AreaUnderCurve"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override { rows_.clear(); }

 private:
  struct Row {
    double score;
    bool target;
  };
  EvaluatedKeys keys_;
  std::vector<Row> rows_;
};

}  // namespace mithril::metrics
