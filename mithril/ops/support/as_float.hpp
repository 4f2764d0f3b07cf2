// Ints and bools beside floats, in `expand` of ops that give floats.
#pragma once
#include "mithril/graph/expression.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril {

// The tensor, or, if only the other one has floats, the tensor in that dtype. Without the cast, ops
// of ints alone would make floats of the default dtype, which is another one.
inline Expression as_float(const Expression& x, const Expression& other) {
  const bool is_beside_floats = is_floating(other.dtype()) && !is_floating(x.dtype());
  return is_beside_floats ? call("cast", {x, Datum(other.dtype())}) : x;
}

}  // namespace mithril
