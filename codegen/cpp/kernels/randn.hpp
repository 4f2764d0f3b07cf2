// Normally distributed numbers.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "mithril/ops/shared/random_bits.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Shape, typename Key, typename DType>
void randn(Tensor<T, rank> output, const Shape&, Key key, DType) {
  const RandomBits bits(static_cast<int64_t>(element(key, 0)));
  for (int64_t i = 0; i < output.size(); ++i) output[i] = static_cast<T>(bits.normal(i));
}

}  // namespace mithril::snippets
