// Concatenating tensors along an axis, and splitting them.
#pragma once
#include <tuple>
#include <type_traits>

#include "codegen/cpp/kernels/axes.hpp"

namespace mithril::snippets {

// The whole tensor as `outer` rows of `size` elements; one row without an axis.
struct Rows {
  int64_t outer, size;
};

template <size_t rank>
Rows rows_along(const Dims<rank>& dims, int64_t axis) {
  const size_t place = axis_of(axis, rank);
  return {product(dims, 0, place), product(dims, place, rank)};
}
template <size_t rank>
Rows rows_along(const Dims<rank>& dims, None) {
  return {1, product(dims, 0, rank)};
}

}  // namespace mithril::snippets
