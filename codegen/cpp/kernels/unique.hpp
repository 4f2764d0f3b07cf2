// The distinct elements of a tensor.
#pragma once
#include <algorithm>
#include <vector>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// Sorted, with NaN after the numbers. The rest of the output repeats the last element.
template <typename T, typename X, size_t rank>
void unique(Tensor<T, 1> output, Tensor<X, rank> input, int64_t /*size*/) {
  std::vector<T> sorted(input.data, input.data + input.size());
  std::sort(sorted.begin(), sorted.end(), [](T a, T b) { return a < b || (a == a && b != b); });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  const auto found = static_cast<int64_t>(sorted.size()), size = output.size();
  if (found > size || (found == 0 && size > 0)) {
    fail("the distinct elements do not fit the size");
  }
  for (int64_t i = 0; i < size; ++i) {
    output[i] = sorted[static_cast<size_t>(std::min(i, found - 1))];
  }
}

}  // namespace mithril::snippets
