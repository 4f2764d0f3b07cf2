// Powers of |base|, below a threshold a straight line where they would be steeper.
#pragma once
#include <type_traits>

#include "codegen/snippets/integers.hpp"
#include "codegen/snippets/robust.hpp"

namespace mithril::snippets {

template <typename T>
T robust_power(T base, T exponent, T threshold) {
  base = std::abs(base);
  const bool steep = exponent < 1 - std::log(threshold) / std::log(base);
  return base < threshold && steep ? base / threshold : std::pow(base, exponent);
}

template <typename T, size_t rank, typename B, typename E, typename Threshold>
void power(Tensor<T, rank> output, B base, E exponent, bool /*robust*/, Threshold threshold) {
  for (int64_t i = 0; i < output.size(); ++i) {
    const auto b = static_cast<T>(element(base, broadcast_index(i, output.dims, dims_of(base))));
    const auto e =
        static_cast<T>(element(exponent, broadcast_index(i, output.dims, dims_of(exponent))));
    if constexpr (std::is_floating_point_v<T>) {
      output[i] = robust_power(b, e, robust_threshold<T>(threshold));
    } else {
      output[i] = whole_power<T>(b, e);
    }
  }
}

}  // namespace mithril::snippets
