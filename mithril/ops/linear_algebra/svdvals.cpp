// svdvals: singular values.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_svdvals() {
  return {
      .name = "svdvals",
      .doc = "The K = min(M, N) singular values of each matrix, in descending order.",
      .inputs = {{"input", "*b M N", "float"}},
      .outputs = {{"output", "*b K", "float"}},
      .solve = solve_lesser_size,
      .expand = [](ExpandContext& e) { e.become(call_all("svd", {e.in("input")})[1]); },
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
