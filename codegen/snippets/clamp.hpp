// Clamps to an interval.
#pragma once
#include <algorithm>

#include "codegen/snippets/numbers.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank, typename Low, typename High>
void clamp(Tensor<T, rank> output, Tensor<X, rank> input, Low low, High high) {
  for (int64_t i = 0; i < output.size(); ++i) {
    output[i] = static_cast<T>(input[i]);
    if constexpr (is_given<Low>) output[i] = std::max(output[i], static_cast<T>(low));
    if constexpr (is_given<High>) output[i] = std::min(output[i], static_cast<T>(high));
  }
}

}  // namespace mithril::snippets
