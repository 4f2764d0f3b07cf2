// The element at the class of each sample.
#pragma once
#include "codegen/cpp/kernels/classes.hpp"

namespace mithril::snippets {

// output[n, ...] = input[n, index[n, ...], ...]
template <typename T, size_t samples, typename X, size_t rank, typename Index>
void pick_class(Tensor<T, samples> output, Tensor<X, rank> input, Tensor<Index, samples> index) {
  each_class(input.dims, index, [&](int64_t sample, int64_t at) { output[sample] = input[at]; });
}

}  // namespace mithril::snippets
