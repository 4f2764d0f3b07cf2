// Cumulative maxima.
#include "mithril/ops/support/cumulative_extremum.hpp"

namespace mithril {

OpDef define_cummax() {
  return {
      .name = "cummax",
      .doc =
          "The cumulative maximum along an axis and its index, as torch.cummax. For equal elements "
          "it is the last index. After a NaN, all values are NaN.",
      .inputs = {{"input", "*s", "T=any"}, value("axis", "int", Datum(-1))},
      .outputs = cumulative_extremum_outputs(),
      .solve = solve_cumulative_extremum,
      .expand = [](ExpandContext& e) { expand_cumulative_extremum(e, true); },
      .integers = IntegerUse::order,
  };
}

}  // namespace mithril
