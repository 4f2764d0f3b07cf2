// Powers of |base|; below a threshold a straight line where the power would be steeper.
#pragma once
#include <type_traits>

#include "codegen/cpp/kernels/integers.hpp"
#include "codegen/cpp/kernels/map_broadcast.hpp"
#include "codegen/cpp/kernels/robust.hpp"

namespace mithril::snippets {

template <typename T>
T robust_power(T base, T exponent, T threshold) {
  base = std::abs(base);
  const bool steep = exponent < 1 - std::log(threshold) / std::log(base);
  return base < threshold && steep ? base / threshold : std::pow(base, exponent);
}

template <typename T, size_t rank, typename B, typename E, typename Threshold>
void power(Tensor<T, rank> output, B base, E exponent, bool /*robust*/, Threshold threshold) {
  map_broadcast(output, base, exponent, [&](T b, T e) {
    if constexpr (std::is_floating_point_v<T>) {
      return robust_power(b, e, robust_threshold<T>(threshold));
    } else {
      return whole_power<T>(b, e);
    }
  });
}

}  // namespace mithril::snippets
