// The smallest element.
#pragma once
#include "codegen/cpp/kernels/extremum.hpp"

namespace mithril::snippets {

template <typename T, size_t kept, typename X, size_t rank, typename Axis>
void min(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, bool /*keepdim*/) {
  choose(output, input, axis, Smaller());
}

}  // namespace mithril::snippets
