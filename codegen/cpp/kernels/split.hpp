// Splits a tensor along an axis.
#pragma once
#include <tuple>

#include "codegen/cpp/kernels/joining.hpp"

namespace mithril::snippets {

template <typename Outputs, typename X, size_t rank, typename Sizes>
void split(const Outputs& outputs, Tensor<X, rank> input, const Sizes&, int64_t axis) {
  const int64_t row = rows_along(input.dims, axis).size;
  int64_t offset = 0;
  const auto cut = [&](const auto& output) {
    const Rows own = rows_along(output.dims, axis);
    for (int64_t o = 0; o < own.outer; ++o) {
      for (int64_t i = 0; i < own.size; ++i) {
        output[o * own.size + i] = input[o * row + offset + i];
      }
    }
    offset += own.size;
  };
  std::apply([&](const auto&... output) { (cut(output), ...); }, outputs);
}

}  // namespace mithril::snippets
