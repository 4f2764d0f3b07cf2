// Functions of two operands that are broadcast to the output.
#pragma once
#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// output[i] = f(a, b) for the elements of left and right that broadcast to i, both converted to T.
template <typename T, size_t rank, typename A, typename B, typename F>
void map_broadcast(Tensor<T, rank> output, A left, B right, F f) {
  for (int64_t i = 0; i < output.size(); ++i) {
    const auto a = element(left, broadcast_index(i, output.dims, dims_of(left)));
    const auto b = element(right, broadcast_index(i, output.dims, dims_of(right)));
    output[i] = f(static_cast<T>(a), static_cast<T>(b));
  }
}

}  // namespace mithril::snippets
