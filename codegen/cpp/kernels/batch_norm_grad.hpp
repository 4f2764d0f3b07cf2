// The gradient of batch_norm_training, and of batch_norm_inference.
#pragma once
#include "codegen/cpp/kernels/norm_grad.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename G, typename X, typename M, typename R, typename Weight>
void batch_norm_grad(Tensor<T, rank> input_grad, Tensor<T, 1> weight_grad, Tensor<T, 1> bias_grad,
                     Tensor<G, rank> grad, Tensor<X, rank> input, Tensor<M, 1> mean,
                     Tensor<R, 1> rstd, Weight weight, bool training) {
  norm_grad(input_grad, weight_grad, bias_grad, grad, input, mean, rstd, weight,
            channels_of(input.dims), !training);
}

}  // namespace mithril::snippets
