// The logarithm of softmax.
#pragma once
#include <cmath>

#include "codegen/cpp/kernels/rows.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void log_softmax(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis) {
  map_rows(output, input, axis, [](T x, T top, T sum) { return x - top - std::log(sum); });
}

}  // namespace mithril::snippets
