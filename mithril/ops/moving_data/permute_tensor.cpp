// Rows in another order.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_permute_tensor() {
  return {
      .name = "permute_tensor",
      .doc =
          "input[indices]: the elements along the first axis in the order of `indices`, a "
          "permutation. Negative indices count from the end. An index out of range is an error.",
      .inputs = {{"input", "N *s", "T=any"}, {"indices", "N", "int"}},
      .outputs = {{"output", "N *s", "T"}},
      .expand =
          [](ExpandContext& e) {
            e.become(call("gather", {e.in("input"), e.in("indices"), 0}));
          },
  };
}

}  // namespace mithril
