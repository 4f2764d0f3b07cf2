// Axes, counted from either end.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

inline size_t axis_of(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

// The product of dims[from] to dims[to - 1].
template <size_t rank>
int64_t product(const Dims<rank>& dims, size_t from, size_t to) {
  int64_t result = 1;
  for (size_t axis = from; axis < to; ++axis) result *= dims[axis];
  return result;
}

// Dims relative to one axis: element k of the row (o, i) is at (o * size + k) * inner + i.
struct AxisView {
  int64_t outer, size, inner;

  int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * size + k) * inner + i; }
};

// A tensor of rank 0 is a row of one element.
template <size_t rank>
AxisView view_along(const Dims<rank>& dims, int64_t axis) {
  if constexpr (rank == 0) {
    return {1, 1, 1};
  } else {
    const size_t place = axis_of(axis, rank);
    return {product(dims, 0, place), dims[place], product(dims, place + 1, rank)};
  }
}

}  // namespace mithril::snippets
