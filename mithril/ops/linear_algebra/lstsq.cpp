// lstsq: least squares.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_lstsq() {
  return {
      .name = "lstsq",
      .doc =
          "The X of least length with the least sum of squares of matrix X - right, for a matrix "
          "of "
          "any rank: pinv(matrix) right. Singular values up to rcond times the largest count as 0; "
          "None: max(M, N) times the spacing of numbers at 1. It is the solution of "
          "torch.linalg.lstsq with driver \"gelsy\", PyTorch's default on a CPU, and its gradient.",
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
  };
}

}  // namespace mithril
