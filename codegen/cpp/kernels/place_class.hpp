// A number at the class of each sample, and zeros elsewhere.
#pragma once
#include <algorithm>

#include "codegen/cpp/kernels/classes.hpp"

namespace mithril::snippets {

// output[n, index[n, ...], ...] = input[n, ...]
template <typename T, size_t rank, typename X, size_t samples, typename Index, typename Like>
void place_class(Tensor<T, rank> output, Tensor<X, samples> input, Tensor<Index, samples> index,
                 Like) {
  std::fill_n(output.data, output.size(), T());
  each_class(output.dims, index, [&](int64_t sample, int64_t at) { output[at] = input[sample]; });
}

}  // namespace mithril::snippets
