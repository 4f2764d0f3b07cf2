// Softmax: exp(x) in shares of its sum along an axis.
#pragma once
#include "codegen/snippets/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void softmax(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis) {
  map_rows(output, input, axis,
           [](double x, double top, double sum) { return std::exp(x - top) / sum; });
}

}  // namespace mithril::snippets
