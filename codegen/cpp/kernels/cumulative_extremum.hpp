// The index of the largest or smallest element so far along an axis.
#pragma once
#include "codegen/cpp/kernels/rows.hpp"
#include "mithril/ops/shared/continues_extremum.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void cumulative_extremum(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis,
                         bool largest) {
  each_row(output.dims, axis, [&](auto at, int64_t size) {
    int64_t best = 0;
    for (int64_t k = 0; k < size; ++k) {
      if (continues_extremum<X>(input[at(k)], input[at(best)], largest)) best = k;
      output[at(k)] = static_cast<T>(best);
    }
  });
}

}  // namespace mithril::snippets
