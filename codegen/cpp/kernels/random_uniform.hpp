// Random numbers in [0, 1).
#pragma once
#include "codegen/cpp/kernels/numbers.hpp"
#include "mithril/ops/shared/random_bits.hpp"

namespace mithril::snippets {

template <typename T, size_t rank, typename Like, typename Key>
void random_uniform(Tensor<T, rank> output, Like, Key key) {
  const RandomBits bits(static_cast<int64_t>(element(key, 0)));
  for (int64_t i = 0; i < output.size(); ++i) {
    const uint64_t high = bits.at(i) >> 40;  // 24 bits: the precision of float
    output[i] = static_cast<T>(static_cast<double>(high) * 0x1p-24);
  }
}

}  // namespace mithril::snippets
