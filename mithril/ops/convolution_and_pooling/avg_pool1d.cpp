// The mean of each window over the last axis.
#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_avg_pool1d() {
  return {
      .name = "avg_pool1d",
      .doc =
          "The mean of each window over the last axis, as avg_pool2d with windows of one row. "
          "`padding` is an int or (before, after).",
      .inputs = pooling_inputs({{"input", "*lead R W", "number"}}, "int"),
      .outputs = {{"output", "*lead R Wo", "float"}},
      .solve = solve_pool1d,
      .expand = [](ExpandContext& e) { expand_pool1d(e, "avg_pool2d"); },
  };
}

}  // namespace mithril
