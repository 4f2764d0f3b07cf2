// Discrete Fourier transforms of complex numbers, which are pairs along the last axis.
#pragma once
#include <vector>

#include "codegen/cpp/kernels/tensor.hpp"
#include "mithril/ops/shared/fourier.hpp"

namespace mithril::snippets {

template <typename T, typename X, size_t rank>
void fft(Tensor<T, rank> output, Tensor<X, rank> input, bool inverse) {
  const int64_t size = input.dims[rank - 2];
  if (size == 0) return;
  FourierTransform transform(size, inverse);
  std::vector<ComplexNumber> row(static_cast<size_t>(size)), result = row;
  for (int64_t first = 0; first < input.size(); first += 2 * size) {
    for (int64_t k = 0; k < size; ++k) {
      row[static_cast<size_t>(k)] = {static_cast<double>(input[first + 2 * k]),
                                     static_cast<double>(input[first + 2 * k + 1])};
    }
    transform.run(row.data(), result.data());
    for (int64_t k = 0; k < size; ++k) {
      output[first + 2 * k] = static_cast<T>(result[static_cast<size_t>(k)].real);
      output[first + 2 * k + 1] = static_cast<T>(result[static_cast<size_t>(k)].imaginary);
    }
  }
}

}  // namespace mithril::snippets
