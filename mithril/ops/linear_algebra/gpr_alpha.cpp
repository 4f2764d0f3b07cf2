// gpr_alpha: what the labels of a Gaussian process weigh.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_gpr_alpha() {
  return {
      .name = "gpr_alpha",
      .doc =
          "(L Lᵀ)⁻¹ label_mu_diff, for the Cholesky factor L of the kernel matrix K_term, which is "
          "not read.",
      .inputs = {{"label_mu_diff", "N 1", "float"},
                 {"L", "N N", "float"},
                 {"K_term", "N N", "float"}},
      .outputs = {{"output", "N 1", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression root = e.in("L");
            const Expression half = call("solve_triangular", {root, e.in("label_mu_diff")});
            e.become(call("solve_triangular", {transposed(root), half, true}));
          },
  };
}

}  // namespace mithril
