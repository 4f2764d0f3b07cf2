// Random ints.
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "mithril/ops/shared/random_bits.hpp"

namespace mithril::snippets {

// From `low` up to but excluding `high`.
template <typename T, size_t rank, typename Shape, typename Key, typename DType>
void randint(Tensor<T, rank> output, const Shape&, Key key, int64_t low, int64_t high, DType) {
  const RandomBits bits(static_cast<int64_t>(element(key, 0)));
  const auto range = static_cast<double>(high - low);
  for (int64_t i = 0; i < output.size(); ++i) {
    output[i] = static_cast<T>(low + static_cast<int64_t>(bits.uniform(i) * range));
  }
}

}  // namespace mithril::snippets
