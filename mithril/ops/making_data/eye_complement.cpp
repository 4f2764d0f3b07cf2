// eye_complement: ones everywhere but on the diagonal.
#include "mithril/ops/support/making.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
OpDef define_eye_complement() {
  return {
      .name = "eye_complement",
      .doc =
          "N rows and M columns of ones, with zeros on the diagonal. M=None means N columns, and "
          "dtype=None means floats.",
      .inputs = {value("N", "int"), value("M", "int|none", Datum()),
                 value("dtype", "dtype|none", Datum())},
      .outputs = {{"output", "rows columns", "int|float"}},
      .solve = solve_eye,
      .expand =
          [](ExpandContext& e) {
            const Expression eye =
                e.make("eye", {e.operand("N"), e.operand("M"), e.operand("dtype")});
            e.become(call("subtract", {1, eye}));
          },
      .dtype_from = "dtype",
  };
}

}  // namespace mithril
