// Elements that are chosen along one axis, another one for each row.
#pragma once
#include "codegen/cpp/kernels/axes.hpp"
#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// Calls body(i, at) for each element i of the index: it chooses element `at` of a tensor of dims
// `whole`.
template <size_t rank, typename Index, typename Body>
void each_along_axis(const Dims<rank>& whole, Tensor<Index, rank> index, int64_t axis, Body body) {
  const size_t along = axis_of(axis, rank);
  Dims<rank> steps = strides(whole);
  const int64_t step = steps[along], size = whole[along];
  steps[along] = 0;
  each_strided(index.dims, steps, 0, [&](int64_t i, int64_t at) {
    const auto chosen = static_cast<int64_t>(index[i]);
    if (chosen < -size || chosen >= size) fail("an index is out of range");
    body(i, at + (chosen < 0 ? chosen + size : chosen) * step);
  });
}

}  // namespace mithril::snippets
