#include "mithril/metrics/regression.hpp"

#include "mithril/metrics/batch_reader.hpp"
#include "mithril/metrics/packing.hpp"

namespace mithril::metrics {

void MeanSquaredError::update(const TensorMap& batch) {
  const EvaluatedBatch read = read_evaluated(name(), keys_, batch);
  require_paired_dims(read);
  for (std::int64_t i = 0; i < read.target.size(); ++i) {
    const double difference = read.prediction.at_as_double(i) - read.target.at_as_double(i);
    sum_.add(difference * difference);
  }
  elements_ += read.target.size();
}

double MeanSquaredError::compute() const {
  require_evaluated_rows(name(), elements_);
  return sum_.value() / static_cast<double>(elements_);
}

void MeanSquaredError::merge(const Evaluator& other) {
  const MeanSquaredError& same = same_evaluator(*this, other);
  sum_.add(same.sum_);
  elements_ += same.elements_;
}

std::optional<std::string> MeanSquaredError::packed() const {
  return Packer().add(sum_).add(elements_).bytes();
}

void MeanSquaredError::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  from.add_to(sum_);
  elements_ += from.count();
}

void MeanSquaredError::reset() {
  sum_ = {};
  elements_ = 0;
}

}  // namespace mithril::metrics
