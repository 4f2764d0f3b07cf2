// Concatenates tensors along an axis.
#pragma once
#include <tuple>

#include "codegen/cpp/kernels/joining.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Inputs, typename Axis>
void concat(Tensor<T, rank> output, const Inputs& inputs, Axis axis) {
  const int64_t row = rows_along(output.dims, axis).size;
  int64_t offset = 0;
  const auto place = [&](const auto& input) {
    const Rows own = rows_along(input.dims, axis);
    for (int64_t o = 0; o < own.outer; ++o) {
      for (int64_t i = 0; i < own.size; ++i) {
        output[o * row + offset + i] = static_cast<T>(input[o * own.size + i]);
      }
    }
    offset += own.size;
  };
  std::apply([&](const auto&... input) { (place(input), ...); }, inputs);
}

}  // namespace mithril::snippets
