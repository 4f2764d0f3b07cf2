// The gradient of concat for one input.
#pragma once
#include <tuple>

#include "codegen/cpp/kernels/joining.hpp"

namespace mithril::snippets {

// Part number `part` of the concatenation of tensors with the shapes of `like`.
template <typename T, size_t rank, typename X, size_t whole, typename Like, typename Axis>
void concat_grad(Tensor<T, rank> output, Tensor<X, whole> input, const Like& like, Axis axis,
                 int64_t part) {
  int64_t before = 0, row = 0, number = 0;
  const auto count = [&](const auto& tensor) {
    const int64_t size = rows_along(tensor.dims, axis).size;
    if (number++ < part) before += size;
    row += size;
  };
  std::apply([&](const auto&... tensor) { (count(tensor), ...); }, like);
  const Rows own = rows_along(output.dims, axis);
  for (int64_t o = 0; o < own.outer; ++o) {
    for (int64_t i = 0; i < own.size; ++i) output[o * own.size + i] = input[o * row + before + i];
  }
}

}  // namespace mithril::snippets
