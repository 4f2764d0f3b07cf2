// The logarithm of softmax.
#pragma once
#include "codegen/snippets/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void log_softmax(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis) {
  map_rows(output, input, axis,
           [](double x, double top, double sum) { return x - top - std::log(sum); });
}

}  // namespace mithril::snippets
