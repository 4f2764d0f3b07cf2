// Normalises channels by given statistics.
#pragma once
#include <cmath>

#include "codegen/cpp/kernels/normalization.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename M, typename V, typename Weight,
          typename Bias>
void batch_norm_inference(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<M, 1> mean,
                          Tensor<V, 1> variance, Weight weight, Bias bias, double eps) {
  const NormGroups channels = channels_of(input.dims);
  for (int64_t g = 0; g < channels.groups; ++g) {
    const double rstd = 1 / std::sqrt(static_cast<double>(variance[g]) + eps);
    normalise(output, input, channels, g, static_cast<double>(mean[g]), rstd, weight, bias);
  }
}

}  // namespace mithril::snippets
