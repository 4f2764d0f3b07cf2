// The largest and the smallest element.
#pragma once
#include <cmath>
#include <type_traits>

#include "codegen/cpp/kernels/reduction.hpp"
#include "mithril/ops/shared/replaces.hpp"

namespace mithril::snippets {

struct Larger {
  template <typename T>
  bool operator()(T x, T best) const {
    return x > best;
  }
};
struct Smaller {
  template <typename T>
  bool operator()(T x, T best) const {
    return x < best;
  }
};

// Calls body(to, at) with the index of the best of the reduced elements.
template <typename X, size_t rank, typename Better, typename Body>
void each_best(Tensor<X, rank> input, const Reduction<rank>& along, Better better, Body body) {
  along.each_result([&](int64_t to, int64_t first) {
    if (along.count == 0) fail("there is no element to choose from");
    int64_t best = first;
    along.each_element(first, [&](int64_t from) {
      if (from != first && replaces(input[from], input[best], better)) best = from;
    });
    body(to, best);
  });
}

template <typename T, size_t kept, typename X, size_t rank, typename Axis, typename Better>
void choose(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, Better better) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  each_best(input, along, better, [&](int64_t to, int64_t at) { output[to] = input[at]; });
}

// The index along the axis, or in the whole input.
template <typename T, size_t kept, typename X, size_t rank, typename Axis, typename Better>
void choose_index(Tensor<T, kept> output, Tensor<X, rank> input, Axis axis, Better better) {
  const Reduction<rank> along(input.dims, axis_set<rank>(axis));
  each_best(input, along, better, [&](int64_t to, int64_t at) {
    if constexpr (std::is_same_v<Axis, None>) {
      output[to] = static_cast<T>(at);
    } else {
      const AxisView view = view_along(input.dims, axis);
      output[to] = static_cast<T>(at / view.inner % view.size);
    }
  });
}

}  // namespace mithril::snippets
