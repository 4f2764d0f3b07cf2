// Shared by ops that make tensors from values: the kind for a dtype port, filling, diagonals.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/eval_context.hpp"
#include "mithril/op/solver.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// States the kind of "output": the kind of "dtype", or `otherwise` if that is None. False: not
// known yet.
inline bool solve_dtype(Solver& s, Kinds otherwise) {
  const Datum* dtype = s.value("dtype");
  if (!dtype) return false;
  s.narrow("output", dtype->is_none() ? otherwise : tensor_kind(dtype->dtype()));
  return true;
}

// The same, and the dims of "shape".
inline bool solve_filled(Solver& s, Kinds otherwise) {
  const Datum* shape = s.value("shape");
  if (shape) s.set_shape("output", dims_of(s, *shape));
  return solve_dtype(s, otherwise) && shape;
}

// The same, and the dims of a matrix: N rows, and M columns (None: N columns).
inline bool solve_eye(Solver& s) {
  const Datum *rows = s.value("N"), *columns = s.value("M");
  if (rows) s.set("rows", dims_of(s, *rows).front());
  const Datum* width = columns && columns->is_none() ? rows : columns;
  if (width) s.set("columns", dims_of(s, *width).front());
  return solve_dtype(s, kind::float_tensor) && rows && width;
}

// Ones on the diagonal of a matrix of zeros.
inline void write_eye(EvalContext& c) {
  const int64_t rows = c.out().dims()[0], columns = c.out().dims()[1];
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < std::min(rows, columns); ++i) y[i * columns + i] = T(1);
  });
}

// A number in the type of an element.
template <typename T>
T number_as(const Datum& datum) {
  if (datum.kind() == kind::float_value || std::is_floating_point_v<T>)
    return static_cast<T>(datum.real());
  return static_cast<T>(datum.integer());
}

}  // namespace mithril
