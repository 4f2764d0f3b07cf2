// The bits of two ints: OR.
#pragma once
#include "codegen/cpp/kernels/map_broadcast.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename A, typename B>
void bitwise_or(Tensor<T, rank> output, A left, B right) {
  map_broadcast(output, left, right, [](T a, T b) { return static_cast<T>(a | b); });
}

}  // namespace mithril::snippets
