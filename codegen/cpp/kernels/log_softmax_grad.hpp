// The gradient of log_softmax for its `result`.
#pragma once
#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

// grad - exp(result) * sum(grad)
template <typename T, typename G, typename Y, size_t rank>
void log_softmax_grad(Tensor<T, rank> output, Tensor<G, rank> grad, Tensor<Y, rank> result,
                      int64_t axis) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    const T sum = sum_of<T>(size, [&](int64_t k) { return static_cast<T>(grad[at(k)]); });
    for (int64_t k = 0; k < size; ++k) {
      output[at(k)] = static_cast<T>(grad[at(k)]) - exp_of(static_cast<T>(result[at(k)])) * sum;
    }
  });
}

}  // namespace mithril::snippets
