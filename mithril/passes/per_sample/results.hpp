// Computes the result of a query, one parameter at a time.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/passes/per_sample/factors.hpp"
#include "mithril/passes/per_sample/materialize.hpp"
#include "mithril/passes/per_sample/model.hpp"

namespace mithril {

// The samples of one set in a copy.
struct SampleSet {
  SampleCopy* copy = nullptr;
  Materializer* materializer = nullptr;
  int64_t from = 0, to = 0;
  int64_t size() const { return to - from; }
  bool is_whole() const { return size() == copy->samples(); }
};

struct ParameterResult {
  ParameterTerms terms;             // of the training set's copy
  ParameterTerms validation_terms;  // of the validation set's copy, if it has its own
  Strategy strategy = Strategy::materialized;
  std::optional<SampleFactors> factors = {};  // kept for the second pass of clipping
  std::optional<Expression> samples = {};     // [n, elements]: materialized, kept likewise
  std::optional<Expression> result = {};      // the output of the query
  std::optional<Expression> gradient = {};    // the mean, weighted or clipped gradient
  bool is_factored() const { return strategy != Strategy::materialized; }
};

class PerSampleResults {
 public:
  // All outlive it.
  PerSampleResults(const PerSampleModel& model, const PerSampleQuery& query,
                   const PerSampleSizes& sizes, SampleSet training, SampleSet validation)
      : model_(model),
        query_(query),
        sizes_(sizes),
        training_(training),
        validation_(validation),
        all_(model.parameters.size()) {}

  std::vector<ParameterResult>& all() { return all_; }
  const std::vector<ParameterResult>& all() const { return all_; }

  // Computes the result of parameter i after its nodes were copied. `projections`: its left and
  // right projection.
  void compute(size_t i, std::optional<std::pair<ValueId, ValueId>> projections);
  // The second pass of clipping: each sample times min(1, max_norm / its norm). Returns the norms.
  Expression clip(ValueId max_norm);
  // The sum of the results of all parameters, in the widest of their dtypes.
  Expression total() const;
  // [n]: the loss of each sample of a set.
  Expression losses(const SampleSet& set) const;

  // A parameter as a matrix: [dims[0], product of the others]; of one axis [1, dims[0]].
  Dims matrix_dims(size_t i) const;
  DType wide_dtype(size_t i) const;

 private:
  const Dims& dims(size_t i) const { return training_.copy->dims(model_.parameters[i].input); }
  SampleFactors factors(const SampleSet& set, size_t i) const;
  Expression samples(const SampleSet& set, size_t i) const;
  Expression sum(const SampleSet& set, size_t i, const std::optional<Expression>& made) const;
  Expression shaped(size_t i, const Expression& x, int64_t samples) const;
  void compute_norms(size_t i);
  void compute_dots(size_t i);
  void compute_projection(size_t i, ValueId left, ValueId right);

  const PerSampleModel& model_;
  const PerSampleQuery& query_;
  const PerSampleSizes& sizes_;
  const SampleSet training_, validation_;
  std::vector<ParameterResult> all_;
};

}  // namespace mithril
