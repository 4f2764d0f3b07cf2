// Linear layers.
#pragma once
#include "codegen/cpp/kernels/gemm.hpp"

namespace mithril::snippets {

template <typename X>
Bias<X, false> bias_of_columns(Tensor<X, 1> bias) {
  return {bias.data};
}
inline NoBias bias_of_columns(None) { return {}; }

// output[row, o] = sum over i of input[row, i] * weight[o, i], + bias[o]
template <typename T, size_t rank, typename X, typename W, typename B>
void linear(Tensor<T, rank> output, Tensor<X, rank> input, Tensor<W, 2> weight, B bias) {
  const int64_t outputs = weight.dims[0], inputs = weight.dims[1];
  const int64_t rows = outputs == 0 ? 0 : output.size() / outputs;
  const auto start = bias_of_columns(bias);
  if constexpr (has_tiles<T, X, W>) {
    gemm<T>(rows, outputs, inputs, {input.data, inputs, 1}, {weight.data, 1, inputs},
            {output.data, outputs, 1}, start);
  } else {
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t o = 0; o < outputs; ++o) {
        T sum = 0;
        for (int64_t i = 0; i < inputs; ++i) {
          sum += static_cast<T>(input[row * inputs + i]) * weight[o * inputs + i];
        }
        output[row * outputs + o] = sum + static_cast<T>(start.at(row, o));
      }
    }
  }
}

}  // namespace mithril::snippets
