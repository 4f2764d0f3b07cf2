// The threshold below which robust functions continue as a straight line.
#pragma once
#include <cmath>
#include <limits>

#include "codegen/cpp/kernels/iteration.hpp"
#include "codegen/cpp/kernels/numbers.hpp"

namespace mithril::snippets {

// The default is the smallest normal number.
template <typename T, typename Threshold>
T robust_threshold(Threshold threshold) {
  if constexpr (is_given<Threshold>) {
    return static_cast<T>(threshold);
  } else {
    return std::numeric_limits<T>::min();
  }
}

}  // namespace mithril::snippets
