// Reads the batches of evaluators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/metrics/evaluator.hpp"

namespace mithril::metrics {

// The predictions and targets of a batch, in the memory of this process.
struct EvaluatedBatch {
  std::string_view evaluator;
  const EvaluatedKeys& keys;
  Tensor prediction, target;
};
// E0890.
EvaluatedBatch read_evaluated(std::string_view evaluator, const EvaluatedKeys& keys,
                              const TensorMap& batch);

// E0891: "Accuracy: 'logits' has the dims [3], expected [4] ...".
[[noreturn]] void refuse_evaluated_dims(std::string_view evaluator, std::string_view key,
                                        const Tensor& got, const std::string& expected);
// The prediction has the dims of the target. E0891.
void require_paired_dims(const EvaluatedBatch& batch);
// E0892.
[[noreturn]] void refuse_evaluated_kind(std::string_view evaluator, std::string_view key,
                                        const Tensor& got, const std::string& expected);
// E0893.
[[noreturn]] void refuse_evaluated_value(std::string_view evaluator, std::string_view key,
                                         const std::string& got, const std::string& expected);
// E0930.
void require_evaluated_rows(std::string_view evaluator, std::int64_t rows);
// E0310.
[[noreturn]] void refuse_merge(const Evaluator& evaluator, const Evaluator& other);

// `other` as an evaluator of the class of `self`. E0310.
template <class Same>
const Same& same_evaluator(const Same& self, const Evaluator& other) {
  const auto* same = dynamic_cast<const Same*>(&other);
  if (!same) refuse_merge(self, other);
  return *same;
}

// The class of each target: ints or bools. E0892.
std::vector<std::int64_t> target_classes(const EvaluatedBatch& batch);

inline constexpr std::int64_t no_class = INT64_MIN;

// The class of each prediction, which has the dims of the target (ints or bools) or one more for
// the scores of classes (floats), of which the first largest one counts. A row with a NaN has
// no_class. E0891, E0892.
std::vector<std::int64_t> predicted_classes(const EvaluatedBatch& batch);

// Rows of scores: floats with the dims of the target and one more, the classes. E0891, E0892.
struct ScoreRows {
  Tensor scores;  // float64
  std::int64_t classes;
  const double* row(std::size_t i) const {
    return scores.data<double>() + static_cast<std::int64_t>(i) * classes;
  }
};
ScoreRows score_rows(const EvaluatedBatch& batch);

}  // namespace mithril::metrics
