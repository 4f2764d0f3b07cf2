// What ops that make tensors out of values share: the kind that a dtype port asks for, filling.
#pragma once
#include <type_traits>

#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// States the kind of "output": that of "dtype", or where it is None `otherwise`. False: not known
// yet.
inline bool solve_dtype(Solver& s, Kinds otherwise) {
  const Datum* dtype = s.value("dtype");
  if (!dtype) return false;
  s.narrow("output", dtype->is_none() ? otherwise : tensor_kind(dtype->dtype()));
  return true;
}

// The same, and the dims that "shape" says.
inline bool solve_filled(Solver& s, Kinds otherwise) {
  const Datum* shape = s.value("shape");
  if (shape) s.set_shape("output", dims_of(s, *shape));
  return solve_dtype(s, otherwise) && shape;
}

// A number in the type of an element.
template <typename T>
T number_as(const Datum& datum) {
  if (datum.kind() == kind::float_value || std::is_floating_point_v<T>)
    return static_cast<T>(datum.real());
  return static_cast<T>(datum.integer());
}

}  // namespace mithril
