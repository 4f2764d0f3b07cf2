// Shared by comparisons: folding numbers, and comparing in a dtype that holds both sides.
#pragma once
#include <optional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

// For two ints, known only if their difference is known.
template <typename Compare>
bool solve_comparison(Solver& s, Compare compare) {
  return solve_operands<2>(s, {"left", "right"}, bool_kinds,
                           [&](auto& a, auto& b) -> std::optional<Datum> {
                             if (is_float(a) || is_float(b)) {
                               const auto x = real_of(s, a), y = real_of(s, b);
                               if (!x || !y) return std::nullopt;
                               return Datum(compare(*x, *y));
                             }
                             int64_t difference = 0;
                             if (!s.number(dim_of(a) - dim_of(b), difference)) return std::nullopt;
                             return Datum(compare(difference, int64_t{0}));
                           });
}

// The operand whose dtype holds both; a float value takes the width of a float tensor.
inline const char* wider_operand(EvalContext& c) {
  const DType left = c.in("left").dtype(), right = c.in("right").dtype();
  if (is_floating(left) && is_floating(right)) {
    if (!c.value("left").is_none()) return "right";
    if (!c.value("right").is_none()) return "left";
  }
  return promote(left, right) == left ? "left" : "right";
}

// output = compare(left, right), broadcast.
template <typename Compare>
void compare_elements(EvalContext& c, Compare compare) {
  c.typed_like(wider_operand(c), [&](auto zero) {
    using T = decltype(zero);
    const auto a = c.read<T>("left"), b = c.read<T>("right");
    auto y = c.write<bool>();
    each_broadcast<2>(c.out().dims(), {&c.dims("left"), &c.dims("right")},
                      [&](int64_t i, auto& at) { y[i] = compare(a[at[0]], b[at[1]]); });
  });
}

}  // namespace mithril
