// Repeats the result of a reduction.
#pragma once
#include <algorithm>
#include <type_traits>

#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

// With a correction, divides by the number of reduced elements minus the correction.
template <typename Correction>
double reciprocal_count(int64_t count, Correction correction) {
  if constexpr (is_given<Correction>) {
    return 1 / std::max(static_cast<double>(count) - static_cast<double>(correction), 0.0);
  } else {
    return 1;
  }
}

template <typename T, typename X, size_t kept, typename Like, size_t rank, typename Axis,
          typename Correction>
void expand_reduced(Tensor<T, rank> output, Tensor<X, kept> input, Tensor<Like, rank>, Axis axis,
                    bool /*keepdim*/, Correction correction) {
  const Reduction<rank> along(output.dims, axis_set<rank>(axis));
  const double scale = reciprocal_count(along.count, correction);
  along.each_result([&](int64_t from, int64_t first) {
    const T value = is_given<Correction> ? static_cast<T>(static_cast<double>(input[from]) * scale)
                                         : static_cast<T>(input[from]);
    along.each_element(first, [&](int64_t to) { output[to] = value; });
  });
}

}  // namespace mithril::snippets
