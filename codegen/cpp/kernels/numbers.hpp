// Accumulator types, and access to arguments that are tensors or numbers.
#pragma once
#include <type_traits>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// Floats are accumulated in double, ints modulo 2^64.
template <typename T>
using Total = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

// The same for products, whose inner loops keep the width of the elements.
template <typename T>
using ProductTotal = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;

template <typename T, size_t rank>
T element(Tensor<T, rank> tensor, int64_t i) {
  return tensor[i];
}
template <typename Number>
Number element(Number number, int64_t) {
  return number;
}

template <typename T, size_t rank>
Dims<rank> dims_of(Tensor<T, rank> tensor) {
  return tensor.dims;
}
template <typename Number>
Dims<0> dims_of(Number) {
  return {};
}

template <typename T>
inline constexpr bool is_given = !std::is_same_v<T, None>;

}  // namespace mithril::snippets
