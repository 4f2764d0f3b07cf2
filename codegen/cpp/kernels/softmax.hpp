// Softmax along an axis: exp(x) divided by its sum.
#pragma once
#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void softmax(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis) {
  map_rows(output, input, axis, [](T x, T top, T sum) { return exp_of(x - top) / sum; });
}

}  // namespace mithril::snippets
