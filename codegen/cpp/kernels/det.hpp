// Determinants.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/factors.hpp"

namespace mithril::snippets {

template <typename T, size_t values, typename X, size_t rank>
void det(Tensor<T, values> output, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    output[i] = static_cast<T>(determinant(factors_of(matrix_at(input, i))));
  }
}

}  // namespace mithril::snippets
