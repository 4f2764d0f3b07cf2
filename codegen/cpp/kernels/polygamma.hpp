// Derivatives of the logarithm of the gamma function.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"
#include "mithril/ops/shared/derivatives_of_gamma.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X>
void polygamma(Tensor<T, rank> output, Tensor<X, rank> input, int64_t order) {
  for (int64_t i = 0; i < output.size(); ++i) {
    output[i] = static_cast<T>(polygamma_of(order, static_cast<double>(input[i])));
  }
}

}  // namespace mithril::snippets
