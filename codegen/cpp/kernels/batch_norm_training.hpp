// Normalises channels by the statistics of the batch, and updates the running statistics.
#pragma once
#include <algorithm>
#include <cstdint>

#include "codegen/cpp/kernels/normalization.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename M, typename V, typename Weight,
          typename Bias>
void batch_norm_training(Tensor<T, rank> output, Tensor<T, 1> mean, Tensor<T, 1> rstd,
                         Tensor<T, 1> new_running_mean, Tensor<T, 1> new_running_var,
                         Tensor<X, rank> input, Tensor<M, 1> running_mean, Tensor<V, 1> running_var,
                         Weight weight, Bias bias, double momentum, double eps) {
  const NormGroups channels = channels_of(input.dims);
  const auto others = static_cast<double>(std::max<int64_t>(channels.size() - 1, 1));
  const auto moved = [&](double old, double of_batch) {
    return channels.size() == 0 ? old : old * (1 - momentum) + of_batch * momentum;
  };
  for (int64_t g = 0; g < channels.groups; ++g) {
    const Moments moments = moments_of<T>(input, channels, g);
    const double reciprocal = reciprocal_deviation(moments, channels, eps);
    normalise(output, input, channels, g, moments.mean, reciprocal, weight, bias);
    mean[g] = static_cast<T>(moments.mean);
    rstd[g] = static_cast<T>(reciprocal);
    new_running_mean[g] = static_cast<T>(moved(running_mean[g], moments.mean));
    new_running_var[g] = static_cast<T>(moved(running_var[g], moments.squares / others));
  }
}

}  // namespace mithril::snippets
