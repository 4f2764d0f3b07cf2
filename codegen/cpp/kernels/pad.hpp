// Pads a tensor.
#pragma once
#include <algorithm>
#include <tuple>
#include <vector>

#include "codegen/cpp/kernels/iteration.hpp"

namespace mithril::snippets {

// `widths`: a pair (before, after) for each axis; negative widths remove elements.
template <typename T, typename X, size_t rank, typename Widths, typename Filler>
void pad(Tensor<T, rank> output, Tensor<X, rank> input, const Widths& widths, Filler filler) {
  const Dims<rank> before =
      std::apply([](const auto&... pair) { return Dims<rank>{pair[0]...}; }, widths);
  const Dims<rank> from_steps = strides(input.dims), to_steps = strides(output.dims);
  Dims<rank> rest{};  // the offset of the input in the output
  int64_t from = 0, to = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t first = std::max<int64_t>(before[axis], 0);
    const int64_t last = std::min(before[axis] + input.dims[axis], output.dims[axis]);
    rest[axis] = std::max<int64_t>(last - first, 0);
    from += (first - before[axis]) * from_steps[axis];
    to += first * to_steps[axis];
  }
  std::fill_n(output.data, output.size(), static_cast<T>(filler));
  std::vector<int64_t> sources;
  each_strided(rest, from_steps, from, [&](int64_t, int64_t at) { sources.push_back(at); });
  each_strided(rest, to_steps, to,
               [&](int64_t i, int64_t at) { output[at] = input[sources[static_cast<size_t>(i)]]; });
}

}  // namespace mithril::snippets
