// cholesky: the root of a matrix, as a lower triangle.
#include <cmath>

#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Row by row (Golub and Van Loan, Matrix Computations, 4.2).
Matrix cholesky(const EvalContext& c, const Matrix& matrix) {
  Matrix root(matrix.rows, matrix.columns);
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      double rest = matrix(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= root(i, k) * root(j, k);
      if (i == j && !(rest > 0)) {
        reject(c, "the matrix is not positive definite", "pivots above 0", std::to_string(rest));
      }
      root(i, j) = i == j ? std::sqrt(rest) : rest / root(j, j);
    }
  }
  return root;
}

// L⁻ᵀ P L⁻¹, its symmetric part, where P is the lower triangle of Lᵀ G with half of its diagonal
// (Murray, https://arxiv.org/abs/1602.07527).
void differentiate_cholesky(GradContext& g) {
  const Expression root = g.out(), back = transposed(root);
  const Expression lower = call("tril", {call("matmul", {back, g.out_grad()})});
  const Expression diagonal = call("tril", {transposed(lower)});
  const Expression halved = lower - diagonal * 0.5;
  const Expression left = call("solve_triangular", {back, halved, true});
  const Expression whole = call("solve_triangular", {back, transposed(left), true});
  g.flow("input", symmetric_part(whole));
}

}  // namespace

OpDef define_cholesky() {
  return {
      .name = "cholesky",
      .doc =
          "The Cholesky factor of each matrix A: the lower triangular L with L Lᵀ = (A + Aᵀ) / 2. "
          "A matrix that is not positive definite is an error.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"output", "*b N N", "float"}},
      .eval =
          [](EvalContext& c) {
            each_matrix(c, [&](const Matrix& matrix) {
              return cholesky(c, symmetric_part(matrix)).elements;
            });
          },
      .grad = differentiate_cholesky,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "cholesky({input})"},
                {"torch", spell_unless_half("aten::linalg_cholesky(" +
                                            std::string(spelled_symmetric_part) + ")")}},
  };
}

}  // namespace mithril
