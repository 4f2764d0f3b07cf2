// The inverse of the error function.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"
#include "mithril/ops/shared/inverse_erf.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X>
void erfinv(Tensor<T, rank> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < output.size(); ++i) {
    output[i] = static_cast<T>(inverse_erf(static_cast<double>(input[i])));
  }
}

}  // namespace mithril::snippets
