// Signs and logarithms of determinants.
#pragma once
#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/factors.hpp"

namespace mithril::snippets {

template <typename T, size_t values, typename X, size_t rank>
void slogdet(Tensor<T, values> sign, Tensor<T, values> logabsdet, Tensor<X, rank> input) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    const LogDeterminant found = log_determinant(factors_of(matrix_at(input, i)));
    sign[i] = static_cast<T>(found.sign);
    logabsdet[i] = static_cast<T>(found.logarithm);
  }
}

}  // namespace mithril::snippets
