// Matrices with zeros above the diagonal.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void tril(Tensor<T, rank> output, Tensor<X, rank> input) {
  const int64_t rows = output.dims[rank - 2], columns = output.dims[rank - 1];
  for (int64_t i = 0; i < output.size(); ++i) {
    output[i] = i % columns > i / columns % rows ? T(0) : static_cast<T>(input[i]);
  }
}

}  // namespace mithril::snippets
