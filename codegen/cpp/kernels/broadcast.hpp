// Repeats elements along axes.
#pragma once
#include "codegen/cpp/kernels/iteration.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, size_t own>
void broadcast(Tensor<T, rank> output, Tensor<X, own> input) {
  Dims<rank> steps{};
  int64_t stride = 1;
  for (size_t back = 1; back <= own; ++back) {
    const int64_t size = input.dims[own - back];
    steps[rank - back] = size == 1 ? 0 : stride;
    stride *= size;
  }
  each_strided(output.dims, steps, 0,
               [&](int64_t i, int64_t at) { output[i] = static_cast<T>(input[at]); });
}

}  // namespace mithril::snippets
