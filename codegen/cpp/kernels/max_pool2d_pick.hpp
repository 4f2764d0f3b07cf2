// The elements at the indices of the largest elements of max_pool2d.
#pragma once
#include "codegen/cpp/kernels/pooling.hpp"

namespace mithril::snippets {

template <typename T, typename V, typename X, size_t rank, typename Kernel, typename Stride,
          typename Padding, typename Dilation>
void max_pool2d_pick(Tensor<T, rank> output, Tensor<V, rank> values, Tensor<X, rank> input,
                     const Kernel& kernel_size, const Stride& stride, const Padding& padding,
                     const Dilation& dilation) {
  const Pooling pooling(input.dims, output.dims, kernel_size, stride, padding, dilation);
  pooling.each_largest(input, [&](int64_t at, int64_t to) {
    output[to] = at < 0 ? T(0) : static_cast<T>(values[at]);
  });
}

}  // namespace mithril::snippets
