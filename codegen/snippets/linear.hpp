// Linear layers.
#pragma once
#include "codegen/snippets/tensor.hpp"

namespace mithril::snippets {

template <typename T, size_t rank>
T bias_of(Tensor<T, rank> bias, int64_t i) {
  return bias[i];
}
inline int bias_of(None, int64_t) { return 0; }

// output[row, o] = sum over i of input[row, i] * weight[o, i], + bias[o]
template <typename T, size_t rank, typename X, typename W, typename Bias>
void linear(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<W, 2> weight, Bias bias) {
  const int64_t outputs = weight.dims[0], inputs = weight.dims[1];
  const int64_t rows = outputs == 0 ? 0 : output.size() / outputs;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t o = 0; o < outputs; ++o) {
      T sum = 0;
      for (int64_t i = 0; i < inputs; ++i) {
        sum += static_cast<T>(input[row * inputs + i]) * weight[o * inputs + i];
      }
      output[row * outputs + o] = sum + static_cast<T>(bias_of(bias, o));
    }
  }
}

}  // namespace mithril::snippets
