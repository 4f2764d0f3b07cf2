// Rows in another order.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_permute_tensor() {
  return {
      .name = "permute_tensor",
      .doc =
          "input[indices]: along the first axis the elements that `indices`, a permutation, names. "
          "Negative indices count from the end; one out of range is an error.",
      .inputs = {{"input", "N *s", "T=any"}, {"indices", "N", "int"}},
      .outputs = {{"output", "N *s", "T"}},
      .expand =
          [](ExpandContext& e) {
            e.become(call("gather", {e.in("input"), e.in("indices"), 0}));
          },
  };
}

}  // namespace mithril
