#include "mithril/metrics/classification.hpp"

#include <fmt/format.h>

#include "mithril/base/error.hpp"
#include "mithril/metrics/batch_reader.hpp"
#include "mithril/metrics/packing.hpp"

namespace mithril::metrics {
namespace {

double share_of(std::int64_t part, std::int64_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

// Whether fewer than `k` classes come before this one. False for NaN.
bool is_among_largest(const double* scores, std::int64_t classes, std::int64_t target,
                      std::int64_t k) {
  const double own = scores[target];
  if (!(own == own)) return false;
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < classes; ++i) {
    before += scores[i] > own || (scores[i] == own && i < target);
  }
  return before < k;
}

}  // namespace

void Accuracy::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  const std::vector<std::int64_t> targets = target_classes(read), found = predicted_classes(read);
  for (std::size_t i = 0; i < targets.size(); ++i) right_ += found[i] == targets[i];
  rows_ += std::ssize(targets);
}

double Accuracy::compute() const {
  require_evaluated_rows(name(), rows_);
  return share_of(right_, rows_);
}

void Accuracy::merge(const Evaluator& other) {
  const Accuracy& same = same_evaluator(*this, other);
  right_ += same.right_;
  rows_ += same.rows_;
}

std::optional<std::string> Accuracy::packed() const {
  return Packer().add(right_).add(rows_).bytes();
}

void Accuracy::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  right_ += from.count();
  rows_ += from.count();
}

TopKAccuracy::TopKAccuracy(std::int64_t k, EvaluatedKeys keys) : k_(k), keys_(std::move(keys)) {
  if (k >= 1) return;
  raise({.kind = ErrorKind::value,
         .code = "E0450",
         .message = fmt::format("TopKAccuracy: k is {}, expected at least 1", k)});
}

void TopKAccuracy::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  const std::vector<std::int64_t> targets = target_classes(read);
  const ScoreRows rows = score_rows(read);
  std::int64_t right = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0 || targets[i] >= rows.classes) {
      refuse_evaluated_value(name(), keys_.target, fmt::format("the class {}", targets[i]),
                             fmt::format("0 to {}", rows.classes - 1));
    }
    right += is_among_largest(rows.row(i), rows.classes, targets[i], k_);
  }
  right_ += right;
  rows_ += std::ssize(targets);
}

double TopKAccuracy::compute() const {
  require_evaluated_rows(name(), rows_);
  return share_of(right_, rows_);
}

void TopKAccuracy::merge(const Evaluator& other) {
  const TopKAccuracy& same = same_evaluator(*this, other);
  if (same.k_ != k_) refuse_merge(*this, other);
  right_ += same.right_;
  rows_ += same.rows_;
}

std::optional<std::string> TopKAccuracy::packed() const {
  return Packer().add(right_).add(rows_).bytes();
}

void TopKAccuracy::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  right_ += from.count();
  rows_ += from.count();
}

F1Score::F1Score(Average average, EvaluatedKeys keys) : average_(average), keys_(std::move(keys)) {}

F1Score::~F1Score() = default;

double F1Score::Counts::score() const {
  return predicted + targets == 0 ? 0 : share_of(2 * right, predicted + targets);
}

void F1Score::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  const std::vector<std::int64_t> targets = target_classes(read), found = predicted_classes(read);
  const auto check_class = [&](std::int64_t number, const std::string& key) {
    const bool is_known = number == 0 || number == 1 || number == no_class;
    if (is_known || average_ != Average::binary) return;
    refuse_evaluated_value(name(), key, fmt::format("the class {}", number),
                           "0 and 1, or another average than binary");
  };
  for (std::size_t i = 0; i < targets.size(); ++i) {
    check_class(targets[i], keys_.target);
    check_class(found[i], keys_.prediction);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Counts& counts = classes_[targets[i]];
    ++counts.targets;
    counts.right += found[i] == targets[i];
    if (found[i] != no_class) ++classes_[found[i]].predicted;
  }
  rows_ += std::ssize(targets);
}

double F1Score::compute() const {
  require_evaluated_rows(name(), rows_);
  if (average_ == Average::binary) {
    const auto positive = classes_.find(1);
    return positive == classes_.end() ? 0 : positive->second.score();
  }
  Counts sum;
  double weighted = 0, plain = 0;
  for (const auto& [number, counts] : classes_) {
    sum.right += counts.right;
    sum.predicted += counts.predicted;
    sum.targets += counts.targets;
    plain += counts.score();
    weighted += counts.score() * static_cast<double>(counts.targets);
  }
  if (average_ == Average::micro) return sum.score();
  if (average_ == Average::weighted) return weighted / static_cast<double>(sum.targets);
  return plain / static_cast<double>(classes_.size());
}

void F1Score::merge(const Evaluator& other) {
  const F1Score& same = same_evaluator(*this, other);
  if (same.average_ != average_) refuse_merge(*this, other);
  const std::map<std::int64_t, Counts> added = same.classes_;
  for (const auto& [number, counts] : added) {
    Counts& own = classes_[number];
    own.right += counts.right;
    own.predicted += counts.predicted;
    own.targets += counts.targets;
  }
  rows_ += same.rows_;
}

std::optional<std::string> F1Score::packed() const {
  Packer to;
  to.add(rows_);
  for (const auto& [number, counts] : classes_)
    to.add(number).add(counts.right).add(counts.predicted).add(counts.targets);
  return to.bytes();
}

void F1Score::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  rows_ += from.count();
  while (!from.at_end()) {
    Counts& own = classes_[from.count()];
    own.right += from.count();
    own.predicted += from.count();
    own.targets += from.count();
  }
}

void F1Score::reset() {
  classes_.clear();
  rows_ = 0;
}

}  // namespace mithril::metrics
