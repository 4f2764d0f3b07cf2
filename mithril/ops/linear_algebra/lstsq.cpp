// lstsq: least squares.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_lstsq() {
  return {
      .name = "lstsq",
      .doc =
          "The least-squares solution X of matrix @ X = right with the smallest norm, for matrices "
          "of any rank: pinv(matrix) @ right. Singular values up to rcond times the largest count "
          "as 0; rcond=None is max(M, N) times the machine epsilon. The solution and its gradient "
          "are those of torch.linalg.lstsq with driver \"gelsy\", its default on CPUs.",
      .inputs = {{"matrix", "*b M N", "T=float"},
                 {"right", "*b M K", "T"},
                 value("rcond", "float|int|none", None())},
      .outputs = {{"output", "*b N K", "T"}},
      .expand =
          [](ExpandContext& e) {
            const Expression inverse =
                call("pinv", {e.in("matrix"), Datum(None()), e.value("rcond")});
            e.become(matmul(inverse, e.in("right")));
          },
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
