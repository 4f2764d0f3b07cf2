// Pseudoinverses.
#pragma once
#include <algorithm>
#include <limits>

#include "codegen/cpp/kernels/matrices.hpp"
#include "codegen/cpp/kernels/numbers.hpp"
#include "mithril/ops/shared/singular_values.hpp"

namespace mithril::snippets {

// Singular values up to max(atol, rtol * the largest) count as 0.
template <typename T, typename X, size_t rank, typename Absolute, typename Relative>
void pinv(Tensor<T, rank> output, Tensor<X, rank> input, Absolute atol, Relative rtol) {
  const auto size = static_cast<double>(std::max(input.dims[rank - 2], input.dims[rank - 1]));
  double absolute = 0;
  if constexpr (is_given<Absolute>) absolute = static_cast<double>(atol);
  double relative = absolute > 0 ? 0 : size * std::numeric_limits<T>::epsilon();
  if constexpr (is_given<Relative>) relative = static_cast<double>(rtol);
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    const Matrix inverse = pseudoinverse(matrix_at(input, i), [&](double largest) {
      return std::max(absolute, relative * largest);
    });
    write_elements(output, i, inverse.elements);
  }
}

}  // namespace mithril::snippets
