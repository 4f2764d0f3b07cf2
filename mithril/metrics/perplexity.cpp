#include "mithril/metrics/perplexity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mithril/metrics/batch_reader.hpp"
#include "mithril/metrics/packing.hpp"

namespace mithril::metrics {
namespace {

// The logarithm of the sum of the exponentials.
double log_sum_exp(const double* logits, std::int64_t count) {
  const double largest = *std::max_element(logits, logits + count);
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(logits[i] - largest);
  return largest + std::log(sum);
}

}  // namespace

void Perplexity::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  const std::vector<std::int64_t> targets = target_classes(read);
  const ScoreRows rows = score_rows(read);
  ExactSum sum = sum_;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (ignored_ && targets[i] == *ignored_) continue;
    if (targets[i] < 0 || targets[i] >= rows.classes) {
      refuse_evaluated_value(name(), keys_.target, fmt::format("the token {}", targets[i]),
                             fmt::format("0 to {}", rows.classes - 1));
    }
    sum.add(log_sum_exp(rows.row(i), rows.classes) - rows.row(i)[targets[i]]);
    ++tokens;
  }
  sum_ = std::move(sum);
  tokens_ += tokens;
}

double Perplexity::compute() const {
  require_evaluated_rows(name(), tokens_);
  return std::exp(sum_.value() / static_cast<double>(tokens_));
}

void Perplexity::merge(const Evaluator& other) {
  const Perplexity& same = same_evaluator(*this, other);
  if (same.ignored_ != ignored_) refuse_merge(*this, other);
  sum_.add(same.sum_);
  tokens_ += same.tokens_;
}

std::optional<std::string> Perplexity::packed() const {
  return Packer().add(sum_).add(tokens_).bytes();
}

void Perplexity::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  from.add_to(sum_);
  tokens_ += from.count();
}

void Perplexity::reset() {
  sum_ = {};
  tokens_ = 0;
}

}  // namespace mithril::metrics
