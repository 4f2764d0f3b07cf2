// The largest element of each window over the last axis.
#include "mithril/ops/support/pooling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_max_pool1d() {
  return {
      .name = "max_pool1d",
      .doc =
          "The largest element of each window over the last axis, as max_pool2d with windows of "
          "one row. `padding` is an int or (before, after).",
      .inputs = pooling_inputs({{"input", "*lead R W", "T=number"}}, "int"),
      .outputs = {{"output", "*lead R Wo", "T"}},
      .solve =
          [](Solver& s) {
            check_padding(s, 1);
            return solve_pool1d(s);
          },
      .expand = [](ExpandContext& e) { expand_pool1d(e, "max_pool2d"); },
  };
}

}  // namespace mithril
