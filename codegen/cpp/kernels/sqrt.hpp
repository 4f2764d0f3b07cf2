// Square roots of |x|; below a threshold a straight line through 0.
#pragma once
#include "codegen/cpp/kernels/robust.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename Threshold>
void sqrt(Tensor<T, rank> output, Tensor<X, rank> input, bool /*robust*/, Threshold threshold) {
  const T least = robust_threshold<T>(threshold);
  for (int64_t i = 0; i < output.size(); ++i) {
    const T x = std::abs(static_cast<T>(input[i]));
    output[i] = x < least ? x / std::sqrt(least) : std::sqrt(x);
  }
}

}  // namespace mithril::snippets
