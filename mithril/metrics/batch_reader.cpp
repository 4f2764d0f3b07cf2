#include "mithril/metrics/batch_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::metrics {
namespace {

const Tensor& evaluated_tensor(std::string_view evaluator, const std::string& key,
                               const TensorMap& batch) {
  if (const Tensor* found = batch.find(key)) return *found;
  raise({.kind = ErrorKind::input,
         .code = "E0890",
         .message = fmt::format("{}: the batch lacks '{}'", evaluator, key),
         .facts = {{"known", join(batch.keys(), ", "), ""}},
         .help = "name the keys when the evaluator is made"});
}

bool is_of_scores(const EvaluatedBatch& batch) {
  const Dims &dims = batch.prediction.dims(), &rows = batch.target.dims();
  return dims.size() == rows.size() + 1 && dims.back() > 0 &&
         std::equal(rows.begin(), rows.end(), dims.begin());
}

std::vector<std::int64_t> classes_of(const Tensor& tensor) {
  const Tensor ints = tensor.to(DType::int64);
  const std::span<const std::int64_t> values = ints.values<std::int64_t>();
  return {values.begin(), values.end()};
}

std::int64_t largest_of(const double* scores, std::int64_t count) {
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (std::isnan(scores[i])) return no_class;
    if (scores[i] > scores[best]) best = i;
  }
  return best;
}

}  // namespace

EvaluatedBatch read_evaluated(std::string_view evaluator, const EvaluatedKeys& keys,
                              const TensorMap& batch) {
  return {evaluator, keys, evaluated_tensor(evaluator, keys.prediction, batch).host(),
          evaluated_tensor(evaluator, keys.target, batch).host()};
}

void refuse_evaluated_dims(std::string_view evaluator, std::string_view key, const Tensor& got,
                           const std::string& expected) {
  raise({.kind = ErrorKind::input,
         .code = "E0891",
         .message = fmt::format("{}: '{}' has the dims {}, expected {}", evaluator, key,
                                to_string(got.dims()), expected)});
}

void require_paired_dims(const EvaluatedBatch& batch) {
  if (batch.prediction.dims() == batch.target.dims()) return;
  const bool may_reshape = batch.prediction.size() == batch.target.size();
  raise({.kind = ErrorKind::input,
         .code = "E0891",
         .message = fmt::format("{}: '{}' has the dims {}, expected {} as the target",
                                batch.evaluator, batch.keys.prediction,
                                to_string(batch.prediction.dims()), to_string(batch.target.dims())),
         .help = may_reshape ? "reshape one of them" : ""});
}

void refuse_evaluated_kind(std::string_view evaluator, std::string_view key, const Tensor& got,
                           const std::string& expected) {
  raise({.kind = ErrorKind::input,
         .code = "E0892",
         .message = fmt::format("{}: '{}' is {}, expected {}", evaluator, key, name(got.dtype()),
                                expected)});
}

void refuse_evaluated_value(std::string_view evaluator, std::string_view key,
                            const std::string& got, const std::string& expected) {
  raise({.kind = ErrorKind::input,
         .code = "E0893",
         .message = fmt::format("{}: '{}' has {}, expected {}", evaluator, key, got, expected)});
}

void require_evaluated_rows(std::string_view evaluator, std::int64_t rows) {
  if (rows > 0) return;
  raise({.kind = ErrorKind::state,
         .code = "E0930",
         .message = fmt::format("{}: compute was called before the first row", evaluator),
         .help = "call update with a batch first"});
}

void refuse_merge(const Evaluator& evaluator, const Evaluator& other) {
  raise({.kind = ErrorKind::type,
         .code = "E0310",
         .message =
             fmt::format("{}: an evaluator of another kind cannot be merged", evaluator.name()),
         .facts = {{"got", std::string(other.name()), ""}},
         .help = "merge evaluators of the same class with the same options"});
}

std::vector<std::int64_t> target_classes(const EvaluatedBatch& batch) {
  if (is_floating(batch.target.dtype()))
    refuse_evaluated_kind(batch.evaluator, batch.keys.target, batch.target,
                          "ints or bools: classes");
  return classes_of(batch.target);
}

ScoreRows score_rows(const EvaluatedBatch& batch) {
  if (!is_of_scores(batch)) {
    refuse_evaluated_dims(batch.evaluator, batch.keys.prediction, batch.prediction,
                          to_string(batch.target.dims()) + " and one more, the classes");
  }
  if (!is_floating(batch.prediction.dtype())) {
    refuse_evaluated_kind(batch.evaluator, batch.keys.prediction, batch.prediction,
                          "floats: scores of classes");
  }
  // The largest of one score is always the first.
  if (batch.prediction.dims().back() == 1) {
    raise({.kind = ErrorKind::input,
           .code = "E0891",
           .message = fmt::format("{}: '{}' has the dims {}, expected scores of at least 2 classes",
                                  batch.evaluator, batch.keys.prediction,
                                  to_string(batch.prediction.dims())),
           .help = "make classes of one score: compare it with a threshold, and reshape the result "
                   "to " +
                   to_string(batch.target.dims())});
  }
  return {batch.prediction.to(DType::float64), batch.prediction.dims().back()};
}

std::vector<std::int64_t> predicted_classes(const EvaluatedBatch& batch) {
  if (batch.prediction.dims() == batch.target.dims()) {
    if (is_floating(batch.prediction.dtype())) {
      refuse_evaluated_kind(batch.evaluator, batch.keys.prediction, batch.prediction,
                            "ints or bools, or floats with one more dim: scores of classes");
    }
    return classes_of(batch.prediction);
  }
  const ScoreRows rows = score_rows(batch);
  std::vector<std::int64_t> classes(static_cast<std::size_t>(batch.target.size()));
  for (std::size_t i = 0; i < classes.size(); ++i)
    classes[i] = largest_of(rows.row(i), rows.classes);
  return classes;
}

}  // namespace mithril::metrics
