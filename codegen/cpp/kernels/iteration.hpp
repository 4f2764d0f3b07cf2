// Iterates over the elements of tensors.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// The stride of each axis.
template <size_t rank>
Dims<rank> strides(const Dims<rank>& dims) {
  Dims<rank> result{};
  int64_t stride = 1;
  for (size_t axis = rank; axis-- > 0; stride *= dims[axis]) result[axis] = stride;
  return result;
}

// Calls body(i, at) for i from 0 on, an index for each element of `dims`: `at` begins at `start`
// and changes by steps[axis] along each axis. The loop along the last axis is a plain one.
template <size_t rank, typename Body>
void each_strided(const Dims<rank>& dims, const Dims<rank>& steps, int64_t start, Body body) {
  int64_t rows = 1, length = 1, step = 0;
  for (size_t axis = 0; axis + 1 < rank; ++axis) rows *= dims[axis];
  if constexpr (rank > 0) {
    length = dims[rank - 1];
    step = steps[rank - 1];
  }
  Dims<rank> place{};
  for (int64_t row = 0, at = start; row < rows; ++row) {
    const int64_t first = row * length;
    if (step == 1) {
      for (int64_t i = 0; i < length; ++i) body(first + i, at + i);
    } else {
      for (int64_t i = 0; i < length; ++i) body(first + i, at + i * step);
    }
    for (size_t back = 2; back <= rank; ++back) {
      const size_t axis = rank - back;
      at += steps[axis];
      if (++place[axis] < dims[axis]) break;
      at -= steps[axis] * dims[axis];
      place[axis] = 0;
    }
  }
}

// The element of a tensor of dims `from` that broadcasts to element i of `to`; the last `skipped`
// axes of both are left out. GCC warns that references to the dims of scalars may be uninitialized.
template <size_t rank, size_t own>
int64_t broadcast_index(int64_t i, Dims<rank> to, Dims<own> from, size_t skipped = 0) {
  int64_t index = 0, stride = 1;
  for (size_t back = skipped + 1; back <= rank && back <= own; ++back) {
    const int64_t size = from[own - back];
    if (size != 1) index += i % to[rank - back] * stride;
    i /= to[rank - back];
    stride *= size;
  }
  return index;
}

}  // namespace mithril::snippets
