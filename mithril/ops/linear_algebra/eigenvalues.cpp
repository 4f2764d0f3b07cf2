// eigenvalues: of symmetric matrices.
#include "mithril/ops/shared/eigen.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {

OpDef define_eigenvalues() {
  return {
      .name = "eigenvalues",
      .doc =
          "The eigenvalues of the symmetric part (A + Aᵀ) / 2 of each matrix A, in ascending "
          "order.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"output", "*b N", "float"}},
      .eval =
          [](EvalContext& c) {
            each_matrix(c, [](const Matrix& matrix) {
              return eigen_of_symmetric(symmetric_part(matrix)).values;
            });
          },
      .grad =
          [](GradContext& g) {
            const Expression vectors = call("eigenvectors", {g.in("input")});
            const Expression scaled = vectors * call("expand_dims", {g.out_grad(), -2});
            g.flow("input", call("matmul", {scaled, transposed(vectors)}));
          },
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "eigenvalues({input})"},
                {"torch", spell_unless_half("aten::linalg_eigvalsh(" +
                                            std::string(spelled_symmetric_part) + ")")}},
  };
}

}  // namespace mithril
