// Normalises the last axis.
#pragma once
#include "codegen/cpp/kernels/normalization.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename Weight, typename Bias>
void layer_norm(Tensor<T, rank> output, Tensor<T, rank> mean, Tensor<T, rank> rstd,
                Tensor<X, rank> input, Weight weight, Bias bias, double eps) {
  const NormGroups rows = rows_of(input.dims);
  for (int64_t g = 0; g < rows.groups; ++g) {
    const Moments moments = moments_of<T>(input, rows, g);
    const double reciprocal = reciprocal_deviation(moments, rows, eps);
    normalise(output, input, rows, g, moments.mean, reciprocal, weight, bias);
    mean[g] = static_cast<T>(moments.mean);
    rstd[g] = static_cast<T>(reciprocal);
  }
}

}  // namespace mithril::snippets
