// Evaluators of classifiers. Targets are ints or bools. Predictions are the same, or floats with
// one more dim: scores of the classes, of which the first largest one counts. A row of scores with
// a NaN is wrong.
#pragma once

#include <cstdint>
#include <map>

#include "mithril/metrics/evaluator.hpp"

namespace mithril::metrics {

// The fraction of correct predictions.
class Accuracy : public Evaluator {
 public:
  explicit Accuracy(EvaluatedKeys keys = {}) : keys_(std::move(keys)) {}
  std::string_view name() const override { return "Accuracy"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override { right_ = rows_ = 0; }

 private:
  EvaluatedKeys keys_;
  std::int64_t right_ = 0, rows_ = 0;
};

// The fraction of rows whose target is among the `k` classes with the largest scores. Among equal
// scores the class with the smaller number comes first. ValueError E0450 for k below 1.
class TopKAccuracy : public Evaluator {
 public:
  explicit TopKAccuracy(std::int64_t k, EvaluatedKeys keys = {});
  std::string_view name() const override { return "TopKAccuracy"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override { right_ = rows_ = 0; }

 private:
  std::int64_t k_;
  EvaluatedKeys keys_;
  std::int64_t right_ = 0, rows_ = 0;
};

// The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN); 0 without any of these.
class F1Score : public Evaluator {
 public:
  // binary: of class 1; the others are 0. macro: the mean over the classes that occur. weighted:
  // weighted by their targets. micro: of the sums over the classes.
  enum class Average { binary, macro, weighted, micro };

  explicit F1Score(Average average = Average::binary, EvaluatedKeys keys = {});
  ~F1Score() override;
  std::string_view name() const override { return "F1Score"; }
  void update(const TensorMap& batch) override;
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override;

 private:
  struct Counts {
    std::int64_t right = 0, predicted = 0, targets = 0;
    double score() const;
  };
  Average average_;
  EvaluatedKeys keys_;
  std::map<std::int64_t, Counts> classes_;
  std::int64_t rows_ = 0;
};

}  // namespace mithril::metrics
