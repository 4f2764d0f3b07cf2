// eye: ones on the diagonal.
#include <algorithm>

#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_eye(Solver& s) {
  const Datum *rows = s.value("N"), *columns = s.value("M");
  if (rows) s.set("rows", dims_of(s, *rows).front());
  const Datum* width = columns && columns->is_none() ? rows : columns;
  if (width) s.set("columns", dims_of(s, *width).front());
  return solve_dtype(s, kind::float_tensor) && rows && width;
}

}  // namespace

OpDef define_eye() {
  return {
      .name = "eye",
      .doc =
          "N rows and M columns (N where M is None) of zeros, with ones on the diagonal; float "
          "where `dtype` is None.",
      .inputs = {value("N", "int"), value("M", "int|none", Datum()),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "rows columns", "any"}},
      .solve = solve_eye,
      .eval =
          [](EvalContext& c) {
            const int64_t rows = c.out().dims()[0], columns = c.out().dims()[1];
            c.typed([&](auto zero) {
              using T = decltype(zero);
              T* y = c.write<T>();
              for (int64_t i = 0; i < std::min(rows, columns); ++i) y[i * columns + i] = T(1);
            });
          },
      .not_differentiable = "it has no tensor among its inputs",
      .dtype_from = "dtype",
      .operations = no_arithmetic,
      .spell = {{"torch", "M == None ? aten::eye(N) : aten::eye(N, M)"},
                {"c", "unsupported: a loop nest"}},
  };
}

}  // namespace mithril
