// An element of each row for each index of that row.
#pragma once
#include "codegen/cpp/kernels/along_axis.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename Index>
void take_along_axis(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<Index, rank> index,
                     int64_t axis) {
  each_along_axis(input.dims, index, axis, [&](int64_t i, int64_t at) { output[i] = input[at]; });
}

}  // namespace mithril::snippets
