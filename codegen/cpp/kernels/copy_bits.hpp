// The bits of elements as those of another type of the same width.
#pragma once
#include <cstring>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X>
void copy_bits(Tensor<T, rank> output, Tensor<X, rank> input) {
  static_assert(sizeof(T) == sizeof(X));
  for (int64_t i = 0; i < output.size(); ++i) std::memcpy(&output[i], &input[i], sizeof(T));
}

}  // namespace mithril::snippets
