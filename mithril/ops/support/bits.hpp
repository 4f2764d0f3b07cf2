// Ops on the bits of two ints, or of two bools: tensors or values.
#pragma once
#include <cstdint>
#include <optional>

#include "mithril/ops/support/arithmetic.hpp"
#include "mithril/ops/support/elementwise.hpp"

namespace mithril {

template <typename Combine>
bool solve_bits(Solver& s, Combine combine) {
  constexpr Kinds result = bool_kinds | kind::int_tensor | kind::int_value;
  return solve_operands<2>(s, {"left", "right"}, result,
                           [&](const Datum& a, const Datum& b) -> std::optional<Datum> {
                             int64_t x = 0, y = 0;
                             if (!s.number(dim_of(a), x) || !s.number(dim_of(b), y))
                               return std::nullopt;
                             const int64_t bits = combine(x, y);
                             return is_bool(a) && is_bool(b) ? Datum(bits != 0) : Datum(bits);
                           });
}

// `combine` never sees floats: inference refuses them.
template <typename Combine>
void map_bits(EvalContext& c, Combine combine) {
  map2(c, [&](auto a, auto b) {
    using T = decltype(a);
    if constexpr (std::is_floating_point_v<T>)
      return a;
    else
      return static_cast<T>(combine(a, b));
  });
}

}  // namespace mithril
