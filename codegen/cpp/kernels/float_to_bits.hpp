// The bits of floats as ints.
#pragma once
#include "codegen/cpp/kernels/copy_bits.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename X, typename DType>
void float_to_bits(Tensor<T, rank> output, Tensor<X, rank> input, DType) {
  copy_bits(output, input);
}

}  // namespace mithril::snippets
