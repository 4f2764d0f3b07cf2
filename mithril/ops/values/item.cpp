// item: the only element of a tensor.
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_item(Solver& s) {
  std::vector<Dim> dims;
  if (!s.shape("input", dims)) return false;
  for (const Dim& dim : dims) {
    const Dim now = resolve(dim);
    if (now.is_constant() && !now.is_constant(1)) {
      s.reject("item takes a tensor of one element", "sizes of 1", to_string(dims),
               ErrorKind::shape);
    }
    s.same(dim, 1);
  }
  return true;
}

}  // namespace

OpDef define_item() {
  return {
      .name = "item",
      .doc = "The only element of a tensor, as a tensor of rank 0.",
      .inputs = {{"input", "*s", "T=any"}},
      .outputs = {{"output", "", "T"}},
      .solve = solve_item,
      .expand =
          [](ExpandContext& c) {
            c.become(call("reshape", {c.in("input"), Datum(Tuple{})}));
          },
  };
}

}  // namespace mithril
