// Sums and maxima of many elements.
#pragma once
#include "codegen/cpp/kernels/tensor.hpp"

namespace mithril::snippets {

// combine(... combine(start, f(0)) ..., f(count - 1)) in 16 partial results, which compilers
// vectorise, and whose rounding errors grow 16 times more slowly.
template <typename T, typename F, typename Combine>
T in_parts(int64_t count, T start, const F& f, const Combine& combine) {
  constexpr int64_t width = 16;
  T parts[width];
  for (T& part : parts) part = start;
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    for (int64_t c = 0; c < width; ++c) parts[c] = combine(parts[c], f(i + c));
  }
  for (int64_t c = 0; i + c < count; ++c) parts[c] = combine(parts[c], f(i + c));
  for (int64_t left = width / 2; left > 0; left /= 2) {
    for (int64_t c = 0; c < left; ++c) parts[c] = combine(parts[c], parts[c + left]);
  }
  return parts[0];
}

// The sum of f(i) for i from 0 to count - 1.
template <typename T, typename F>
T sum_of(int64_t count, const F& f) {
  return in_parts(count, T(0), f, [](T a, T b) { return a + b; });
}

// The largest f(i), at least `least`; ignores NaN.
template <typename T, typename F>
T largest_of(int64_t count, T least, const F& f) {
  return in_parts(count, least, f, [](T a, T b) { return a < b ? b : a; });
}

}  // namespace mithril::snippets
