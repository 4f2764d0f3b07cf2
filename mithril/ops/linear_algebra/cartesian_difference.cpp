// Each row of one matrix minus each row of another.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_cartesian_difference() {
  return {
      .name = "cartesian_difference",
      .doc = "left[i] - right[j] for all pairs of rows: [N, D] and [M, D] give [N, M, D].",
      .inputs = {{"left", "N D", "T=number"}, {"right", "M D", "U=number"}},
      .outputs = {{"output", "N M D", "promote(T, U)"}},
      .expand =
          [](ExpandContext& e) {
            e.become(call("expand_dims", {e.in("left"), 1}) -
                     call("expand_dims", {e.in("right"), 0}));
          },
  };
}

}  // namespace mithril
