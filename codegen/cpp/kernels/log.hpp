// Logarithms of |x|; below a threshold the tangent at the threshold.
#pragma once
#include "codegen/cpp/kernels/robust.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename Threshold>
void log(Tensor<T, rank> output, Tensor<X, rank> input, bool /*robust*/, Threshold threshold) {
  const T least = robust_threshold<T>(threshold);
  for (int64_t i = 0; i < output.size(); ++i) {
    const T x = std::abs(static_cast<T>(input[i]));
    output[i] = x < least ? std::log(least) + x / least - 1 : std::log(x);
  }
}

}  // namespace mithril::snippets
