// Normalises channels by the statistics of the batch, and updates the running statistics.
#pragma once
#include "codegen/cpp/kernels/normalization.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename M, typename V, typename Weight,
          typename Bias>
void batch_norm_training(Tensor<T, rank> output, Tensor<T, 1> mean, Tensor<T, 1> rstd,
                         Tensor<T, 1> new_running_mean, Tensor<T, 1> new_running_var,
                         Tensor<X, rank> input, Tensor<M, 1> running_mean, Tensor<V, 1> running_var,
                         Weight weight, Bias bias, double momentum, double eps) {
  const NormGroups channels = channels_of(input.dims);
  for (int64_t g = 0; g < channels.groups; ++g) {
    const Moments moments = moments_of<T>(input, channels, g);
    const double reciprocal = reciprocal_deviation(moments, channels, eps);
    const double variance = moments.squares / static_cast<double>(channels.size() - 1);
    normalise(output, input, channels, g, moments.mean, reciprocal, weight, bias);
    mean[g] = static_cast<T>(moments.mean);
    rstd[g] = static_cast<T>(reciprocal);
    new_running_mean[g] =
        static_cast<T>(running_mean[g] * (1 - momentum) + moments.mean * momentum);
    new_running_var[g] = static_cast<T>(running_var[g] * (1 - momentum) + variance * momentum);
  }
}

}  // namespace mithril::snippets
