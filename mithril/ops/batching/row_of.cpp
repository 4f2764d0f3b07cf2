// row_of: one index of an axis, on which a part of a model is computed for all indices.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The dims of `row` are those of `input` without the axis, which has the given size.
bool solve_row(Solver& s) {
  const Datum *axis = s.value("axis"), *size = s.value("size");
  int64_t number = 0;
  if (!axis || !s.number(axis->dim(), number)) return false;
  std::vector<Dim> whole, row;
  if (s.shape("input", whole)) {
    const size_t at = axis_of(s, number, whole.size());
    if (size) s.same(size->dim(), whole[at]);
    if (!size) s.set_value("size", Datum(whole[at]));
    row = whole;
    row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    s.set_shape("output", row);
    return true;
  }
  if (!size || !s.shape("output", row)) return false;
  const size_t at = axis_of(s, number, row.size() + 1);
  row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), size->dim());
  s.set_shape("input", row);
  return true;
}

}  // namespace

OpDef define_row_of() {
  return {
      .name = "row_of",
      .doc =
          "One index of `axis`, for all of which `stack_rows` computes what follows. `size` is the "
          "size of the axis.",
      .internal = true,
      .inputs = {{"input", "*s", "T=any"}, value("axis", "int"), value("size", "int")},
      .outputs = {{"output", "*o", "T"}},
      .solve = solve_row,
      .not_differentiable = "it is differentiated as a part of the whole vmap",
      .dtype_from = "input",
      .linear = {"input"},
      .transform = true,
  };
}

}  // namespace mithril
