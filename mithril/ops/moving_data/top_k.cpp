// top_k: the largest elements along an axis, and their indices.
#include "mithril/ops/support/sorting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_top_k() {
  return {
      .name = "top_k",
      .doc =
          "The k largest elements along an axis in descending order, and their indices. "
          "largest=False selects the k smallest, in ascending order. Among equal elements, those "
          "with the lowest indices are selected. NaN counts as larger than all numbers.",
      .inputs = {{"input", "*s", "T=any"},
                 value("k", "int"),
                 value("axis", "int", -1),
                 value("largest", "bool", true)},
      .outputs = {{"values", "*o", "T"}, {"indices", "*o", "int"}},
      .solve =
          [](Solver& s) {
            return solve_first(s, "k", {"values", "indices"});
          },
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            const Expression indices =
                call("argsort", {x, e.value("axis"), e.value("largest"), e.value("k")});
            e.become(call("take_along_axis", {x, indices, e.value("axis")}), 0);
            e.become(indices, 1);
          },
      .integers = IntegerUse::order,
  };
}

}  // namespace mithril
