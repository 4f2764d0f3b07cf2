#include "mithril/training/model_score.hpp"

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/metrics/batch_reader.hpp"
#include "mithril/metrics/packing.hpp"
#include "mithril/training/batches.hpp"

namespace mithril::metrics {

ModelScore::ModelScore(CompiledModel model, const TensorMap& params, const State& state,
                       const std::string& output)
    : model_(model.bind(params, state)), output_(output) {
  const std::vector<std::string> known = model_.output_keys();
  if (std::find(known.begin(), known.end(), output) == known.end())
    unknown_name(ErrorKind::name, "E0606", "output", output, "", known);
}

void ModelScore::update(const TensorMap& batch) {
  TensorMap data;
  for (const std::string& key : model_.data_keys())
    if (const Tensor* tensor = batch.find(key)) data[key] = *tensor;
  const TensorMap outputs = model_.evaluate({}, data);
  const Tensor scores = outputs.at(output_).host();
  const std::int64_t rows = count_rows(batch);
  if (scores.size() == 1) {
    sum_.add(scores.item() * static_cast<double>(rows));
  } else if (scores.rank() == 1 && scores.size() == rows) {
    for (std::int64_t i = 0; i < rows; ++i) sum_.add(scores.at_as_double(i));
  } else {
    refuse_evaluated_dims(name(), output_, scores, "a value for each row, or one value");
  }
  rows_ += rows;
}

double ModelScore::compute() const {
  require_evaluated_rows(name(), rows_);
  return sum_.value() / static_cast<double>(rows_);
}

void ModelScore::merge(const Evaluator& other) {
  const ModelScore& same = same_evaluator(*this, other);
  if (same.output_ != output_) refuse_merge(*this, other);
  sum_.add(same.sum_);
  rows_ += same.rows_;
}

std::optional<std::string> ModelScore::packed() const {
  return Packer().add(sum_).add(rows_).bytes();
}

void ModelScore::merge_packed(std::string_view bytes) {
  Unpacker from(bytes);
  from.add_to(sum_);
  rows_ += from.count();
}

void ModelScore::reset() {
  sum_ = {};
  rows_ = 0;
}

}  // namespace mithril::metrics
