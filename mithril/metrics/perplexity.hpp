// The evaluator of language models.
#pragma once

#include <cstdint>
#include <optional>

#include "mithril/metrics/evaluator.hpp"
#include "mithril/metrics/exact_sum.hpp"

namespace mithril::metrics {

// exp of the mean negative log-likelihood of the targets. Predictions are logits with one dim more
// than the targets (ints), the vocabulary. Targets that equal `ignored` do not count.
class Perplexity : public Evaluator {
 public:
  explicit Perplexity(std::optional<std::int64_t> ignored = {}, EvaluatedKeys keys = {})
      : ignored_(ignored), keys_(std::move(keys)) {}
  std::string_view name() const override { return "Perplexity"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override;

 private:
  std::optional<std::int64_t> ignored_;
  EvaluatedKeys keys_;
  ExactSum sum_;
  std::int64_t tokens_ = 0;
};

}  // namespace mithril::metrics
