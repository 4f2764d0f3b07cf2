// Shifting the bits of ints.
#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "mithril/op/solver.hpp"
#include "mithril/ops/support/arithmetic.hpp"

namespace mithril {

constexpr Kinds int_kinds = kind::int_tensor | kind::int_value;
inline constexpr const char* shiftable = "bool|int|value bool|int";

// For elements: all bits are shifted out if the shift is negative or at least the width of T, as in
// PyTorch.
template <typename T>
bool shifts_all(T shift) {
  return shift < 0 || shift > std::numeric_limits<T>::digits;
}

// Solves a shift whose result is fold(number, power of two) for values.
template <typename Fold>
bool solve_shift(Solver& s, Fold fold) {
  return solve_operands<2>(s, {"input", "shift"}, int_kinds,
                           [&](const Datum& input, const Datum& shift) -> std::optional<Datum> {
                             int64_t bits = 0;
                             if (!s.number(dim_of(shift), bits)) return std::nullopt;
                             if (bits < 0 || bits > 62)
                               s.reject("the shift is out of range", "0 to 62",
                                        std::to_string(bits));
                             return Datum(fold(dim_of(input), Dim(int64_t{1} << bits)));
                           });
}

}  // namespace mithril
