// The floats that have the bits of ints.
#pragma once
#include "codegen/cpp/kernels/copy_bits.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename DType>
void bits_to_float(Tensor<T, rank> output, Tensor<X, rank> input, DType) {
  copy_bits(output, input);
}

}  // namespace mithril::snippets
