// The index of the largest element.
#pragma once
#include "codegen/cpp/kernels/extremum.hpp"

namespace mithril::snippets {

template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void argmax(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/) {
  choose_index(output, input, axis, Larger());
}

}  // namespace mithril::snippets
