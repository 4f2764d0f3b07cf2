// flip: elements in reverse order along axes.
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_flip() {
  return {
      .name = "flip",
      .doc = "Reverses the order of the elements along an axis, or along several.",
      .inputs = {{"input", "*s", "T=any"}, value("axis", "int|tuple")},
      .outputs = {{"output", "*s", "T"}},
      .solve =
          [](Solver& s) {
            const Datum* axis = s.value("axis");
            std::vector<Dim> dims;
            return axis && s.shape("input", dims) && axis_list(s, *axis, dims.size());
          },
      .expand =
          [](ExpandContext& e) {
            const Tuple axes = items_of(e.value("axis"));
            const Tuple open(axes.size()), back(axes.size(), Datum(-1));
            e.become(
                call("slice", {e.in("input"), Datum(open), Datum(open), Datum(back), Datum(axes)}));
          },
  };
}

}  // namespace mithril
