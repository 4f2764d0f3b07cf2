// Elements shifted along axes; those that leave at one end come back at the other.
#pragma once
#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

inline int64_t item_of(int64_t number, size_t) { return number; }
template <size_t count>
int64_t item_of(const std::array<int64_t, count>& numbers, size_t i) {
  return numbers[i];
}
inline size_t items_in(int64_t) { return 1; }
template <size_t count>
size_t items_in(const std::array<int64_t, count>&) {
  return count;
}

// from[axis]: the index of the element that comes first along the axis.
template <typename T, typename X, size_t rank>
void roll_from(T* output, const X* input, const Dims<rank>& dims, const Dims<rank>& from) {
  const Dims<rank> steps = strides(dims);
  Dims<rank> place = from;
  int64_t at = 0, count = 1;
  for (size_t axis = 0; axis < rank; ++axis) {
    at += from[axis] * steps[axis];
    count *= dims[axis];
  }
  for (int64_t i = 0; i < count; ++i) {
    output[i] = input[at];
    for (size_t axis = rank; axis-- > 0;) {
      at += steps[axis];
      if (++place[axis] == dims[axis]) {
        place[axis] = 0;
        at -= steps[axis] * dims[axis];
      }
      if (place[axis] != from[axis]) break;
    }
  }
}

inline int64_t first_after(int64_t shift, int64_t size) {
  return size == 0 ? 0 : (-shift % size + size) % size;
}

template <typename T, size_t rank, typename X, typename Shift, typename Axis>
void roll(Tensor<T, rank> output, Tensor<X, rank> input, const Shift& shift, const Axis& axis) {
  if constexpr (is_given<Axis>) {
    Dims<rank> from{};
    for (size_t k = 0; k < items_in(axis); ++k) {
      const size_t along = axis_of(item_of(axis, k), rank);
      from[along] = first_after(item_of(shift, k), input.dims[along]);
    }
    roll_from(output.data, input.data, input.dims, from);
  } else {
    const Dims<1> flat{input.size()}, from{first_after(item_of(shift, 0), input.size())};
    roll_from(output.data, input.data, flat, from);
  }
}

}  // namespace mithril::snippets
