// Elements in groups, each normalised by its own mean and deviation.
#pragma once
#include <cmath>

#include "codegen/snippets/axes.hpp"
#include "codegen/snippets/numbers.hpp"

namespace mithril::snippets {

// Element k of group g stands at (k / run * groups + g) * run + k % run, and meets the weight and
// the bias of its place in the row, or of its group.
struct NormGroups {
  int64_t groups, size, run;
  bool by_group;  // whether weight and bias are of groups

  int64_t at(int64_t g, int64_t k) const { return (k / run * groups + g) * run + k % run; }
  int64_t parameter(int64_t g, int64_t k) const { return by_group ? g : k; }
  int64_t parameters() const { return by_group ? groups : size; }
};

// A group for each row of the last axis.
template <size_t rank>
NormGroups rows_of(const Dims<rank>& dims) {
  const int64_t size = dims[rank - 1];
  return {product(dims, 0, rank - 1), size, size > 0 ? size : 1, false};
}
// A group for each index of the second axis.
template <size_t rank>
NormGroups channels_of(const Dims<rank>& dims) {
  const int64_t run = product(dims, 2, rank);
  return {dims[1], dims[0] * run, run > 0 ? run : 1, true};
}

template <typename Parameter>
double parameter_at(Parameter parameter, int64_t i, double otherwise) {
  if constexpr (is_given<Parameter>) {
    return static_cast<double>(parameter[i]);
  } else {
    return otherwise;
  }
}

struct Moments {
  double mean, squares;  // the squares of distances, summed
};

template <typename X, size_t rank>
Moments moments_of(Tensor<X, rank> input, const NormGroups& groups, int64_t g) {
  double total = 0, squares = 0;
  for (int64_t k = 0; k < groups.size; ++k) total += static_cast<double>(input[groups.at(g, k)]);
  const double mean = total / static_cast<double>(groups.size);
  for (int64_t k = 0; k < groups.size; ++k) {
    const double distance = static_cast<double>(input[groups.at(g, k)]) - mean;
    squares += distance * distance;
  }
  return {mean, squares};
}

// 1 / sqrt(variance + eps)
inline double reciprocal_deviation(const Moments& moments, const NormGroups& groups, double eps) {
  return 1 / std::sqrt(moments.squares / static_cast<double>(groups.size) + eps);
}

// (input - mean) * rstd * weight + bias for the elements of one group.
template <typename T, typename X, size_t rank, typename Weight, typename Bias>
void normalise(Tensor<T, rank> output, Tensor<X, rank> input, const NormGroups& groups, int64_t g,
               double mean, double rstd, Weight weight, Bias bias) {
  for (int64_t k = 0; k < groups.size; ++k) {
    const int64_t at = groups.at(g, k), parameter = groups.parameter(g, k);
    const double unit = (static_cast<double>(input[at]) - mean) * rstd;
    output[at] = static_cast<T>(unit * parameter_at(weight, parameter, 1) +
                                parameter_at(bias, parameter, 0));
  }
}

}  // namespace mithril::snippets
