// shape: the dims of a tensor as a value.
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_shape(Solver& s) {
  std::vector<Dim> dims;
  if (s.shape("input", dims)) {
    s.set_value("output", Datum::dims(dims));
    return true;
  }
  const Datum* output = s.value("output");
  if (!output) return false;
  s.set_shape("input", dims_of(s, *output));
  return true;
}

}  // namespace

OpDef define_shape() {
  return {
      .name = "shape",
      .doc = "The dims of a tensor, as a tuple of ints. They are symbolic until they are known.",
      .inputs = {{"input", "*s", "any"}},
      .outputs = {value("output", "tuple")},
      .solve = solve_shape,
  };
}

}  // namespace mithril
