// transposed_diagonal: the diagonal of a matrix as a column.
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_transposed_diagonal() {
  return {
      .name = "transposed_diagonal",
      .doc = "The diagonal of a square matrix as a matrix of one column.",
      .inputs = {{"input", "N N", "T=number"}},
      .outputs = {{"output", "N 1", "T"}},
      .expand =
          [](ExpandContext& e) {
            const Expression x = e.in("input");
            const Expression chosen = call("equal", {call("eye_like", {x}), 1});
            e.become(call("sum", {call("where", {chosen, x, 0}), 1, true}));
          },
  };
}

}  // namespace mithril
