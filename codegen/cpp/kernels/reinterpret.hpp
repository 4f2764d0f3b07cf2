// The bits of floats as ints, and of ints as floats.
#pragma once
#include <cstring>

#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename DType>
void reinterpret(Tensor<T, rank> output, Tensor<X, rank> input, DType) {
  static_assert(sizeof(T) == sizeof(X));
  for (int64_t i = 0; i < output.size(); ++i) std::memcpy(&output[i], &input[i], sizeof(T));
}

}  // namespace mithril::snippets
