// Signs of columns of length 1, such as eigenvectors, which are unique up to their sign.
#pragma once
#include <cmath>
#include <cstdint>

#include "mithril/ops/shared/matrix.hpp"

namespace mithril {

// The first large element of a column of length 1, whose largest element is at least 1/sqrt(rows).
// The choice does not depend on rounding, unlike the sign of a sum of elements that cancel.
inline double first_large(const Matrix& columns, int64_t column) {
  const double large = 0.6 / std::sqrt(static_cast<double>(columns.rows));
  int64_t row = 0;
  while (row + 1 < columns.rows && std::abs(columns(row, column)) < large) ++row;
  return columns(row, column);
}

}  // namespace mithril
