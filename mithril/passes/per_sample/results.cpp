#include "mithril/passes/per_sample/results.hpp"

#include <algorithm>

namespace mithril {
namespace {

Expression in_dtype(const Expression& x, DType dtype) {
  return x.dtype() == dtype ? x : call("cast", {x, Datum(dtype)});
}

}  // namespace

DType PerSampleResults::wide_dtype(size_t i) const {
  return opmath_dtype(model_.graph.value(model_.parameters[i].input).dtype);
}

Dims PerSampleResults::matrix_dims(size_t i) const {
  const int64_t rows = dims(i).size() < 2 ? 1 : dims(i)[0];
  return {rows, rows == 0 ? 0 : element_count(dims(i)) / rows};
}

SampleFactors PerSampleResults::factors(const SampleSet& set, size_t i) const {
  const bool is_validation = set.copy != training_.copy;
  return factors_of(*set.copy, is_validation ? all_[i].validation_terms : all_[i].terms, set.from,
                    set.to);
}

// [n, elements]: the gradients of the samples of a set.
Expression PerSampleResults::samples(const SampleSet& set, size_t i) const {
  // Products make the gradients of this set alone, if it shares a batch with others. Convolutions
  // make those of the batch, because windows are larger than the values that are sliced.
  const auto& terms = all_[i].terms.terms;
  const bool windows = std::any_of(terms.begin(), terms.end(), [](const ProductTerm& term) {
    return term.form == ProductTerm::Form::windows;
  });
  if (!set.is_whole() && !terms.empty() && !windows) {
    return wide(
        reshaped(materialized(factors(set, i)), {set.to - set.from, element_count(dims(i))}));
  }
  const Expression all = (*set.materializer)(model_.parameters[i].gradient);
  const int64_t samples = dims_of(all)[0];
  return sliced(wide(reshaped(all, {samples, element_count(dims(i))})), set.from, set.to);
}

// [elements]: the sum of the gradients of a set. `made`: its samples, if they are made anyway.
Expression PerSampleResults::sum(const SampleSet& set, size_t i,
                                 const std::optional<Expression>& made) const {
  const Dims elements = {element_count(dims(i))};
  if (set.is_whole()) return reshaped(wide(set.copy->at(model_.parameters[i].gradient)), elements);
  if (!all_[i].terms.terms.empty() && !made)
    return reshaped(sum_of(factors(set, i), nullptr), elements);
  return summed(made ? *made : samples(set, i), {0});
}

// Reshapes x to the dims of the parameter, with an axis of samples in front (0: without it), in the
// dtype of the parameter.
Expression PerSampleResults::shaped(size_t i, const Expression& x, int64_t samples) const {
  Dims shape = dims(i);
  if (samples > 0) shape.insert(shape.begin(), samples);
  return in_dtype(reshaped(x, shape), model_.graph.value(model_.parameters[i].input).dtype);
}

void PerSampleResults::compute(size_t i, std::optional<std::pair<ValueId, ValueId>> projections) {
  switch (query_.kind) {
    case PerSampleQuery::Kind::gradients:
      all_[i].result = shaped(i, samples(training_, i), sizes_.samples);
      break;
    case PerSampleQuery::Kind::norms:
    case PerSampleQuery::Kind::clipped:
      compute_norms(i);
      break;
    case PerSampleQuery::Kind::weighted:
      all_[i].gradient = training_.copy->at(model_.parameters[i].gradient);
      break;
    case PerSampleQuery::Kind::dots:
      compute_dots(i);
      break;
    case PerSampleQuery::Kind::projections:
      compute_projection(i, projections->first, projections->second);
      break;
  }
}

void PerSampleResults::compute_norms(size_t i) {
  const bool clipped = query_.kind == PerSampleQuery::Kind::clipped;
  if (all_[i].is_factored()) {
    const SampleFactors made = factors(training_, i);
    // Rounding may make a sum of products of rows negative.
    all_[i].result = call("maximum", {squared_norms(made), 0.0});
    if (clipped) all_[i].factors = made;
    return;
  }
  const Expression made = samples(training_, i);
  all_[i].result = summed_rows(made * made);
  if (clipped) all_[i].samples = made;
}

void PerSampleResults::compute_dots(size_t i) {
  const FactorDims& factored = all_[i].terms.dims;
  std::optional<Expression> made, dots;
  if (all_[i].strategy == Strategy::gram) {
    dots = mithril::dots(factors(training_, i), factors(validation_, i), query_.pairs);
  } else if (all_[i].strategy == Strategy::bilinear) {
    const Dims matrix = {factored.groups * factored.p, factored.d};
    dots = dots_with(factors(training_, i), reshaped(sum(validation_, i, std::nullopt), matrix));
  } else {
    made = samples(training_, i);
    if (query_.pairs) {
      dots = call("matmul", {*made, call("swapaxes", {samples(validation_, i), 0, 1})});
    } else {
      dots = summed_rows(*made * sum(validation_, i, std::nullopt));
    }
  }
  // The gradients of the training samples have the factor 1 / n: their sum is the mean.
  const bool mean = query_.mean_validation && !query_.pairs;
  const double scale =
      static_cast<double>(sizes_.samples) / (mean ? static_cast<double>(query_.validation) : 1);
  all_[i].result = *dots * scale;
  all_[i].gradient = shaped(i, sum(training_, i, made), 0);
}

void PerSampleResults::compute_projection(size_t i, ValueId left_id, ValueId right_id) {
  const Expression left = training_.copy->expression(left_id);
  const Expression right = training_.copy->expression(right_id);
  const Dims flat = {sizes_.samples, sizes_.ranks[i].first * sizes_.ranks[i].second};
  if (all_[i].is_factored()) {
    all_[i].result = reshaped(projected(factors(training_, i), left, right), flat);
    return;
  }
  const Dims matrix = matrix_dims(i);
  const Expression made = reshaped(samples(training_, i), {sizes_.samples, matrix[0], matrix[1]});
  const Expression columns = call("matmul", {made, call("swapaxes", {right, 0, 1})});
  all_[i].result = reshaped(call("matmul", {left, columns}), flat);
}

Expression PerSampleResults::total() const {
  DType widest = DType::float32;
  for (const ParameterResult& parameter : all_) {
    if (parameter.result->dtype() == DType::float64) widest = DType::float64;
  }
  Expression sum = in_dtype(*all_.front().result, widest);
  for (size_t i = 1; i < all_.size(); ++i) sum = sum + in_dtype(*all_[i].result, widest);
  return sum;
}

Expression PerSampleResults::clip(ValueId max_norm) {
  const Expression norms = call("sqrt", {total()});
  const Expression bound = in_dtype(training_.copy->expression(max_norm), norms.dtype());
  const Expression weights = call("minimum", {bound / norms, 1.0});
  for (size_t i = 0; i < all_.size(); ++i) {
    const Expression own = in_dtype(weights, wide_dtype(i));
    if (all_[i].is_factored()) {
      all_[i].gradient = shaped(i, sum_of(*all_[i].factors, &own), 0);
    } else {
      const Expression row = reshaped(own, {1, sizes_.samples});
      all_[i].gradient = shaped(i, call("matmul", {row, *all_[i].samples}), 0);
    }
  }
  return norms;
}

Expression PerSampleResults::losses(const SampleSet& set) const {
  const Expression all = wide(set.copy->at(model_.losses));
  const Dims dims = dims_of(all);
  Expression rows = dims.size() == 1 ? all : summed_rows(all);
  if (model_.mean_losses && dims.size() > 1) {
    const int64_t row = element_count(dims) / std::max<int64_t>(1, dims[0]);
    rows = rows * (1 / static_cast<double>(row));
  }
  return sliced(rows, set.from, set.to);
}

}  // namespace mithril
