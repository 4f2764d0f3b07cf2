// embedding: rows of a table, chosen by index.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_embedding() {
  return {
      .name = "embedding",
      .doc = "output[...] = weight[input[...]]: the row of `weight` at each index.",
      .inputs = {{"input", "*n", "int"}, {"weight", "V D", "float"}},
      .outputs = {{"output", "*n D", "float"}},
      .expand =
          [](ExpandContext& c) {
            c.become(call("gather", {c.in("weight"), c.in("input"), 0}));
          },
      .work = {.takes_from = "weight"},
  };
}

}  // namespace mithril
