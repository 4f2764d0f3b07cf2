// Groups of elements, each normalised by its own mean and deviation.
#pragma once
#include <cmath>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/partial_sums.hpp"

namespace mithril::snippets {

// A group has `runs` runs of `length` contiguous elements. Weight and bias are indexed by the
// group, or by the position of an element in its run.
struct NormGroups {
  int64_t groups, runs, length;
  bool by_group;  // whether weight and bias are per group

  int64_t size() const { return runs * length; }
  int64_t parameters() const { return by_group ? groups : length; }

  // Calls body(first) with the first element of each run of group g.
  template <typename Body>
  void each_run(int64_t g, const Body& body) const {
    for (int64_t run = 0; run < runs; ++run) body((run * groups + g) * length);
  }

  // The sum of f(i) for the elements i of group g.
  template <typename T, typename F>
  double sum(int64_t g, const F& f) const {
    double total = 0;
    each_run(g, [&](int64_t first) {
      total += static_cast<double>(sum_of<T>(length, [&](int64_t k) { return f(first + k); }));
    });
    return total;
  }
};

// One group for each row of the last axis.
template <size_t rank>
NormGroups rows_of(const Dims<rank>& dims) {
  return {product(dims, 0, rank - 1), 1, dims[rank - 1], false};
}
// One group for each index of the second axis.
template <size_t rank>
NormGroups channels_of(const Dims<rank>& dims) {
  return {dims[1], dims[0], product(dims, 2, rank), true};
}

template <typename T, typename Parameter>
T parameter_at(Parameter parameter, int64_t i, T otherwise) {
  if constexpr (is_given<Parameter>) {
    return static_cast<T>(parameter[i]);
  } else {
    return otherwise;
  }
}

// Calls body(i, parameter) for the elements i of group g and the index of their parameters.
template <typename Body>
void each_normalised(const NormGroups& groups, int64_t g, const Body& body) {
  groups.each_run(g, [&](int64_t first) {
    if (groups.by_group) {
      for (int64_t k = 0; k < groups.length; ++k) body(first + k, g);
    } else {
      for (int64_t k = 0; k < groups.length; ++k) body(first + k, k);
    }
  });
}

struct Moments {
  double mean, squares;  // the sum of squared distances
};

template <typename T, typename X, size_t rank>
Moments moments_of(Tensor<X, rank> input, const NormGroups& groups, int64_t g) {
  const double total = groups.sum<T>(g, [&](int64_t i) { return static_cast<T>(input[i]); });
  const double mean = total / static_cast<double>(groups.size());
  const double squares = groups.sum<T>(g, [&, center = static_cast<T>(mean)](int64_t i) {
    const T distance = static_cast<T>(input[i]) - center;
    return distance * distance;
  });
  return {mean, squares};
}

// 1 / sqrt(variance + eps)
inline double reciprocal_deviation(const Moments& moments, const NormGroups& groups, double eps) {
  return 1 / std::sqrt(moments.squares / static_cast<double>(groups.size()) + eps);
}

// (input - mean) * rstd * weight + bias for the elements of one group.
template <typename T, typename X, size_t rank, typename Weight, typename Bias>
void normalise(Tensor<T, rank> output, Tensor<X, rank> input, const NormGroups& groups, int64_t g,
               double mean, double rstd, Weight weight, Bias bias) {
  const T center = static_cast<T>(mean), factor = static_cast<T>(rstd);
  each_normalised(groups, g, [&](int64_t i, int64_t parameter) {
    const T unit = (static_cast<T>(input[i]) - center) * factor;
    output[i] = unit * parameter_at<T>(weight, parameter, 1) + parameter_at<T>(bias, parameter, 0);
  });
}

}  // namespace mithril::snippets
