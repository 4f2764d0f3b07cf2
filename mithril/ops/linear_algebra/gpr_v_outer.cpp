// gpr_v_outer: how much of the variance of a Gaussian process is explained.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_gpr_v_outer() {
  return {
      .name = "gpr_v_outer",
      .doc =
          "Kᵀ (L Lᵀ)⁻¹ K, for the Cholesky factor L of the kernel matrix K_term, which is not "
          "read.",
      .inputs = {{"K", "N M", "float"}, {"K_term", "N N", "float"}, {"L", "N N", "float"}},
      .outputs = {{"output", "M M", "float"}},
      .expand =
          [](ExpandContext& e) {
            const Expression v = call("solve_triangular", {e.in("L"), e.in("K")});
            e.become(call("matmul", {transposed(v), v}));
          },
  };
}

}  // namespace mithril
