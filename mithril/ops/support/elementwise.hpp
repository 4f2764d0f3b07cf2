// Evaluating ops that treat each element on its own: one input, or two that are broadcast together.
#pragma once
#include <algorithm>
#include <string_view>
#include <type_traits>

#include "mithril/op/eval_context.hpp"
#include "mithril/ops/support/broadcasting.hpp"

namespace mithril {

// The number in a type whose overflow wraps instead of being undefined; floats and bools unchanged.
// Example: wrapping(a) + wrapping(b).
template <typename T>
constexpr auto wrapping(T number) {
  if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
    return number;
  } else {
    return static_cast<std::make_unsigned_t<T>>(number);
  }
}

// output[i] = f(input[i]), computed in the output's type.
template <typename F>
void map1(EvalContext& c, F f, std::string_view port = "input") {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>(port);
    auto y = c.write<T>();
    for (int64_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(f(x[i]));
  });
}

// output = input, converted between any two dtypes as Tensor::to.
inline void copy_converted(EvalContext& c) {
  if (is_low_bit(c.out().dtype())) return c.write_all(c.in("input").to(c.out().dtype()));
  visit_dtype(c.out().dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    std::copy(x.begin(), x.end(), c.write<T>());
  });
}

// f for a float argument, otherwise the argument: f is not instantiated for other types.
template <typename F>
auto only_floats(F f) {
  return [f](auto x, auto... rest) {
    if constexpr (std::is_floating_point_v<decltype(x)>) {
      return f(x, rest...);
    } else {
      return x;
    }
  };
}

// The same for outputs that are always floats.
template <typename F>
void map1_float(EvalContext& c, F f, std::string_view port = "input") {
  map1(c, only_floats(f), port);
}

// output = f(left, right), broadcast, computed in the output's type.
template <typename F>
void map2(EvalContext& c, F f, std::string_view left = "left", std::string_view right = "right") {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto a = c.read<T>(left), b = c.read<T>(right);
    auto y = c.write<T>();
    each_broadcast<2>(c.out().dims(), {&c.dims(left), &c.dims(right)},
                      [&](int64_t i, auto& at) { y[i] = static_cast<T>(f(a[at[0]], b[at[1]])); });
  });
}

// The same for outputs that are always floats.
template <typename F>
void map2_float(EvalContext& c, F f, std::string_view left = "left",
                std::string_view right = "right") {
  map2(c, only_floats(f), left, right);
}

// output = input, broadcast to the output's dims.
inline void repeat_elements(EvalContext& c) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    each_broadcast<1>(c.out().dims(), {&c.dims("input")},
                      [&](int64_t i, auto& at) { y[i] = x[at[0]]; });
  });
}

}  // namespace mithril
