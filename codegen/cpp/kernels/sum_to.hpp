// Sums over broadcast axes.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "codegen/cpp/kernels/reduction.hpp"

namespace mithril::snippets {

// The axes of `from` that broadcasting to `to` extends.
template <size_t rank, size_t own>
AxisSet<rank> broadcast_axes(const Dims<rank>& to, const Dims<own>& from) {
  AxisSet<rank> axes{};
  for (size_t back = 1; back <= rank; ++back) {
    axes[rank - back] = back > own || (from[own - back] == 1 && to[rank - back] != 1);
  }
  return axes;
}

template <typename T, size_t own, typename X, size_t rank, typename Like>
void sum_to(Tensor<T, own> output, Tensor<X, rank> input, Like) {
  const Reduction<rank> along(input.dims, broadcast_axes(input.dims, output.dims));
  along.template each_sum<Total<T>>(
      input, [&](int64_t to, Total<T> total) { output[to] = static_cast<T>(total); });
}

}  // namespace mithril::snippets
