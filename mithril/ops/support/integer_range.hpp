// The numbers that an integer dtype holds.
#pragma once
#include <cmath>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// The dtype holds the integers n with least <= n < above. A double holds both exactly.
struct IntegerRange {
  double least, above;
};

inline IntegerRange integer_range(DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8 - (is_unsigned(dtype) ? 0 : 1);
  const double above = std::ldexp(1.0, bits);
  return {is_unsigned(dtype) ? 0 : -above, above};
}

}  // namespace mithril
