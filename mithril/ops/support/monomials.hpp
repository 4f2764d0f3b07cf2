// How many products a polynomial has.
#pragma once
#include <cstdint>
#include <string>

#include "mithril/base/limits.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

inline void check_degree(Solver& s, int64_t degree) {
  if (degree < 1) s.reject("the degree is too low", "at least 1", std::to_string(degree));
  const int64_t most = limits().repetitions;
  if (degree > most)
    s.reject("the degree is too high", at_most_repetitions(most), std::to_string(degree));
}

// The number of products of 1 to `degree` factors from this number of variables, with repetition.
inline Dim monomial_count(const Dim& variables, int64_t degree) {
  Dim count = 1;
  for (int64_t i = 1; i <= degree; ++i) count = floor_divide(count * (variables + i), i);
  return count - 1;
}

}  // namespace mithril
