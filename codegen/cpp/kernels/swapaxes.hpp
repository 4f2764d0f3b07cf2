// Exchanges two axes.
#pragma once
#include <utility>

#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void swapaxes(Tensor<T, rank> output, Tensor<X, rank> input, int64_t axis1, int64_t axis2) {
  Dims<rank> steps = strides(input.dims);
  std::swap(steps[axis_of(axis1, rank)], steps[axis_of(axis2, rank)]);
  each_strided(output.dims, steps, 0, [&](int64_t i, int64_t at) { output[i] = input[at]; });
}

}  // namespace mithril::snippets
