// Distances between the rows of two matrices, before the root is taken.
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_distance_matrix(Solver& s) {
  const Kinds form = s.form("norm");
  if (form == 0) return false;
  if (form & kind::value) return true;
  std::vector<Dim> dims;
  if (!s.shape("norm", dims)) return false;
  for (const Dim& dim : dims) s.same(dim, Dim(1));
  return true;
}

}  // namespace

OpDef define_distance_matrix() {
  return {
      .name = "distance_matrix",
      .doc =
          "output[i, j] = sum(|left[i] - right[j]| ** norm) for all pairs of rows of left [N, D] "
          "and right [M, D]. `norm` is one number.",
      .inputs = {{"left", "N D", "number"}, {"right", "M D", "number"}, {"norm", "*n", "operand"}},
      .outputs = {{"output", "N M", "float"}},
      .solve = solve_distance_matrix,
      .expand =
          [](ExpandContext& e) {
            const Expression apart = call("expand_dims", {e.in("left") * 1.0, 1}) -
                                     call("expand_dims", {e.in("right") * 1.0, 0});
            const Operand norm =
                e.has("norm") ? call("reshape", {e.in("norm"), Datum(Tuple{})}) : e.operand("norm");
            e.become(call("sum", {call("power", {call("abs", {apart}), norm}), 2}));
          },
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
