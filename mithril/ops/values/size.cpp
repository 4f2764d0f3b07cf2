// size: how many elements a tensor has, or how many along an axis, as a value.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_size(Solver& s) {
  const Datum* dim = s.value("dim");
  std::vector<Dim> dims;
  if (!dim || !s.shape("input", dims)) return false;
  if (dim->is_none()) {
    s.set_value("output", product(dims));
    return true;
  }
  const auto axes = axis_list(s, *dim, dims.size());
  if (!axes) return false;
  Tuple sizes;
  for (const size_t axis : *axes) sizes.push_back(dims[axis]);
  s.set_value("output", dim->kind() == kind::tuple ? Datum(sizes) : sizes.front());
  return true;
}

}  // namespace

OpDef define_size() {
  return {
      .name = "size",
      .doc =
          "The number of elements of a tensor, or the size of axis `dim` if it is an int, or the "
          "sizes of several axes if it is a tuple. Sizes are symbolic until they are known.",
      .inputs = {{"input", "*s", "any"}, value("dim", "int|tuple|none", Datum())},
      .outputs = {value("output", "int|tuple")},
      .solve = solve_size,
  };
}

}  // namespace mithril
