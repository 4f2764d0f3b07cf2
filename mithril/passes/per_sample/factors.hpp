// Per-sample gradients as sums of products, and what follows from them without making them:
// g_i = sum over t of rows_i[t] ⊗ cols_i[t].
#pragma once
#include <vector>

#include "mithril/passes/per_sample/terms.hpp"

namespace mithril {

// Factors of some samples.
struct SampleFactor {
  Expression rows;      // [n, groups, t, p], without the axis of one group; of a lookup ids [n, t]
  Expression cols;      // [n, groups, t, d], without the axis of one group
  bool lookup = false;  // row t is the one-hot vector of an id
};

// The gradient of one parameter for some samples: the sum of its factors. At most one has dense
// rows, and at most one is a lookup.
struct SampleFactors {
  FactorDims dims;
  std::vector<SampleFactor> parts;
  int64_t samples = 0;
};

// The factors of the samples from `from` up to `to` of the copy.
SampleFactors factors_of(SampleCopy& copy, const ParameterTerms& terms, int64_t from, int64_t to);
// Some of the samples.
SampleFactors sliced(const SampleFactors& factors, int64_t from, int64_t to);

// [n]: <g_i, g_i>, by products of all pairs of rows of each sample (the Gram form):
// sum over t, s of <rows[t], rows[s]> <cols[t], cols[s]>.
Expression squared_norms(const SampleFactors& factors);
// [n, m]: <g_i, h_j>, or [n]: its sum over j, in the Gram form.
Expression dots(const SampleFactors& g, const SampleFactors& h, bool pairs);
// [n]: <g_i, sum>, of a sum with the elements [groups * p, d]: the bilinear form.
Expression dots_with(const SampleFactors& g, const Expression& sum);
// [groups * p, d]: sum over i of weights[i] * g_i; `weights` [n], or null for ones.
Expression sum_of(const SampleFactors& factors, const Expression* weights);
// [n, groups * p, d]: every g_i.
Expression materialized(const SampleFactors& factors);
// [n, groups, r, s]: left g_i right^T, of left [r, p] and right [s, d].
Expression projected(const SampleFactors& factors, const Expression& left, const Expression& right);

}  // namespace mithril
