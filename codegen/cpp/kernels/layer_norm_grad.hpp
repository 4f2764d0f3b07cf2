// The gradient of layer_norm.
#pragma once
#include "codegen/cpp/kernels/norm_grad.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename G, typename X, typename M, typename R, typename Weight>
void layer_norm_grad(Tensor<T, rank> input_grad, Tensor<T, 1> weight_grad, Tensor<T, 1> bias_grad,
                     Tensor<G, rank> grad, Tensor<X, rank> input, Tensor<M, rank> mean,
                     Tensor<R, rank> rstd, Weight weight) {
  norm_grad(input_grad, weight_grad, bias_grad, grad, input, mean, rstd, weight,
            rows_of(input.dims), false);
}

}  // namespace mithril::snippets
