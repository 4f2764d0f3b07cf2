// The gradient of log_softmax, which gave `result`.
#pragma once
#include "codegen/snippets/rows.hpp"

namespace mithril::snippets {

// grad - exp(result) * sum(grad)
template <typename T, typename G, typename Y, size_t rank>
void log_softmax_grad(Tensor<T, rank> output, Tensor<G, rank> grad, Tensor<Y, rank> result,
                      int64_t axis) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    double sum = 0;
    for (int64_t k = 0; k < size; ++k) sum += static_cast<double>(grad[at(k)]);
    for (int64_t k = 0; k < size; ++k) {
      const double share = std::exp(static_cast<double>(result[at(k)]));
      output[at(k)] = static_cast<T>(static_cast<double>(grad[at(k)]) - share * sum);
    }
  });
}

}  // namespace mithril::snippets
