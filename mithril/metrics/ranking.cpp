#include "mithril/metrics/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mithril/base/error.hpp"
#include "mithril/metrics/batch_reader.hpp"
#include "mithril/metrics/packing.hpp"

namespace mithril::metrics {

void AreaUnderCurve::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  const std::vector<std::int64_t> targets = target_classes(read);
  require_paired_dims(read);
  if (!is_floating(read.prediction.dtype()))
    refuse_evaluated_kind(name(), keys_.prediction, read.prediction, "floats: scores");
  const Tensor scores = read.prediction.to(DType::float64);
  const double* score = scores.data<double>();
  std::vector<Row> added;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] != 0 && targets[i] != 1) {
      refuse_evaluated_value(name(), keys_.target, fmt::format("the class {}", targets[i]),
                             "0 and 1");
    }
    if (std::isnan(score[i])) refuse_evaluated_value(name(), keys_.prediction, "a NaN", "numbers");
    added.push_back({score[i], targets[i] == 1});
  }
  rows_.insert(rows_.end(), added.begin(), added.end());
}

double AreaUnderCurve::compute() const {
  require_evaluated_rows(name(), std::ssize(rows_));
  std::vector<Row> sorted = rows_;
  std::sort(sorted.begin(), sorted.end(),
            [](const Row& a, const Row& b) { return a.score < b.score; });
  std::int64_t negatives = 0, positives = 0;
  std::int64_t twice = 0;  // the pairs in the right order twice, and those of equal scores once
  for (std::size_t first = 0, end = 0; first < sorted.size(); first = end) {
    std::int64_t equal_negatives = 0, equal_positives = 0;
    for (end = first; end < sorted.size() && sorted[end].score == sorted[first].score; ++end) {
      ++(sorted[end].target ? equal_positives : equal_negatives);
    }
    twice += equal_positives * (2 * negatives + equal_negatives);
    negatives += equal_negatives;
    positives += equal_positives;
  }
  if (negatives == 0 || positives == 0) {
    raise({.kind = ErrorKind::value,
           .code = "E0451",
           .message = fmt::format("AreaUnderCurve: all targets are {}", positives == 0 ? 0 : 1),
           .help = "the area is defined for targets of both classes"});
  }
  return static_cast<double>(twice) /
         (2 * static_cast<double>(negatives) * static_cast<double>(positives));
}

void AreaUnderCurve::merge(const Evaluator& other) {
  const std::vector<Row> added = same_evaluator(*this, other).rows_;
  rows_.insert(rows_.end(), added.begin(), added.end());
}

std::optional<std::string> AreaUnderCurve::packed() const {
  Packer to;
  for (const Row& row : rows_) to.add(row.score).add(row.target);
  return to.bytes();
}

void AreaUnderCurve::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  while (!from.at_end()) {
    const double score = from.take<double>();
    rows_.push_back({score, from.take<bool>()});
  }
}

}  // namespace mithril::metrics
