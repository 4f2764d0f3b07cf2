// Orthogonal factors of matrices.
#pragma once
#include <string_view>

#include "codegen/cpp/kernels/matrices.hpp"
#include "mithril/ops/shared/orthogonal_factors.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void qr(Tensor<T, rank> q, Tensor<T, rank> r, Tensor<X, rank> input, std::string_view /*mode*/) {
  for (int64_t i = 0; i < matrix_count(input); ++i) {
    const OrthogonalFactors found = orthogonal_factors(matrix_at(input, i), q.dims[rank - 1]);
    write_elements(q, i, found.q.elements);
    write_elements(r, i, found.r.elements);
  }
}

}  // namespace mithril::snippets
