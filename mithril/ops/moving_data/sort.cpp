// sort: the elements along an axis in order, and their indices.
#include "mithril/ops/support/sorting.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_sort() {
  return {
      .name = "sort",
      .doc =
          "Sorts the elements along an axis, and returns the indices that sort them, too. Equal "
          "elements keep their order. NaN counts as larger than all numbers.",
      .inputs = {{"input", "*s", "T=any"},
                 value("axis", "int", -1),
                 value("descending", "bool", false)},
      .outputs = {{"values", "*s", "T"}, {"indices", "*s", "int"}},
      .solve =
          [](Solver& s) {
            const Datum* axis = s.value("axis");
            int64_t position = 0;
            std::vector<Dim> dims;
            if (!axis || !s.number(axis->dim(), position) || !s.shape("input", dims)) return false;
            axis_of(s, position, dims.size());
            return true;
          },
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            const Expression indices = call("argsort", {x, e.value("axis"), e.value("descending")});
            e.become(call("take_along_axis", {x, indices, e.value("axis")}), 0);
            e.become(indices, 1);
          },
      .integers = IntegerUse::order,
  };
}

}  // namespace mithril
