// A compiled model as an evaluator.
#pragma once

#include "mithril/compile/compiled_model.hpp"
#include "mithril/metrics/evaluator.hpp"
#include "mithril/metrics/exact_sum.hpp"

namespace mithril::metrics {

// The mean over all rows of an output of a compiled model, which gets the data of each batch by
// key. The output has a value for each row [N], or one value, the mean of the rows of the batch.
// The first tensor of a batch counts its rows. Other keys of a batch are ignored. Example:
//   ml::metrics::ModelScore score(judge, params, {}, "score");
class ModelScore : public Evaluator {
 public:
  // NameError E0606 for an unknown output; StateError E0901 for other parameters.
  ModelScore(CompiledModel model, const TensorMap& params, const State& state,
             const std::string& output);
  std::string_view name() const override { return "ModelScore"; }
  void update(const TensorMap& batch) override;  // and errors of evaluate
  double compute() const override;
  void merge(const Evaluator& other) override;
  std::optional<std::string> packed() const override;
  void merge_packed(std::string_view bytes) override;
  void reset() override;

 private:
  CompiledModel model_;
  std::string output_;
  ExactSum sum_;
  std::int64_t rows_ = 0;
};

}  // namespace mithril::metrics
