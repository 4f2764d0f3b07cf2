// The errors about division by zero, for floor_divide and remainder.
#pragma once
#include <string>

#include "mithril/ops/support/arithmetic.hpp"

namespace mithril {

// ValueError E0402 if the denominator is known to be 0 while composing.
inline void refuse_known_zero(Solver& s, const Datum& denominator) {
  const bool zero =
      is_float(denominator) ? denominator.real() == 0 : resolve(dim_of(denominator)).is_constant(0);
  if (zero) s.reject("division by zero", "a denominator other than 0", to_string(denominator));
}

// ValueError E0404 about an int tensor that contains a 0. `of_floats`: the result for floats.
[[noreturn]] inline void refuse_zero_element(const std::string& op, const std::string& of_floats) {
  raise({.kind = ErrorKind::value,
         .code = "E0404",
         .message = op + ": an int is divided by zero, at port 'denominator'",
         .help = "divide floats, where the result is " + of_floats});
}

}  // namespace mithril
