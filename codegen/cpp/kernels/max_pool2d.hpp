// The largest element of each window, and its index in the plane.
#pragma once
#include <limits>

#include "codegen/cpp/kernels/pooling.hpp"

namespace mithril::snippets {

template <typename T, typename P, typename X, size_t rank, typename Kernel, typename Stride,
          typename Padding, typename Dilation>
void max_pool2d(Tensor<T, rank> output, Tensor<P, rank> places, Tensor<X, rank> input,
                const Kernel& kernel_size, const Stride& stride, const Padding& padding,
                const Dilation& dilation) {
  using Limits = std::numeric_limits<T>;
  const T nothing = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  const Pooling pooling(input.dims, output.dims, kernel_size, stride, padding, dilation);
  pooling.each_largest(input, [&](int64_t at, int64_t to) {
    output[to] = at < 0 ? nothing : static_cast<T>(input[at]);
    places[to] = static_cast<P>(at < 0 ? -1 : at % pooling.inputs());
  });
}

}  // namespace mithril::snippets
