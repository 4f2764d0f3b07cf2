// A border around a tensor.
#pragma once
#include <algorithm>
#include <tuple>

#include "codegen/snippets/walk.hpp"

namespace mithril::snippets {

// `widths`: a pair (before, after) for each axis.
template <typename T, typename X, size_t rank, typename Widths, typename Filler>
void pad(Tensor<T, rank> output, Tensor<X, rank> input, const Widths& widths, Filler filler) {
  const Dims<rank> before =
      std::apply([](const auto&... pair) { return Dims<rank>{pair[0]...}; }, widths);
  const Dims<rank> steps = strides(output.dims);
  int64_t start = 0;
  for (size_t axis = 0; axis < rank; ++axis) start += before[axis] * steps[axis];
  std::fill_n(output.data, output.size(), static_cast<T>(filler));
  each_strided(input.dims, steps, start, [&](int64_t i, int64_t at) { output[at] = input[i]; });
}

}  // namespace mithril::snippets
