// solve_triangular: equations whose matrix is a triangle.
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// Substitution, starting at the row with one unknown.
Matrix solution(const Matrix& matrix, Matrix right, bool upper) {
  for (int64_t step = 0; step < matrix.rows; ++step) {
    const int64_t i = upper ? matrix.rows - 1 - step : step;
    const int64_t first = upper ? i + 1 : 0, past = upper ? matrix.rows : i;
    for (int64_t column = 0; column < right.columns; ++column) {
      for (int64_t k = first; k < past; ++k) right(i, column) -= matrix(i, k) * right(k, column);
      right(i, column) /= matrix(i, i);
    }
  }
  return right;
}

void eval_solve_triangular(EvalContext& c) {
  const auto matrices = c.read<double>("matrix"), right = c.read<double>("right");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < matrix_count(c.dims("matrix")); ++i) {
      const Matrix solved = solution(matrix_at(matrices, c.dims("matrix"), i),
                                     matrix_at(right, c.dims("right"), i), c.flag("upper"));
      for (const double element : solved.elements) *y++ = static_cast<T>(element);
    }
  });
}

// The gradient of the right side is A⁻ᵀ G; the gradient of the matrix is the triangle of its
// negative product with the solution.
void differentiate_solve_triangular(GradContext& g) {
  const bool upper = g.value("upper").flag();
  const Expression back = transposed(g.in("matrix"));
  const Expression right = call("solve_triangular", {back, g.out_grad(), !upper});
  g.flow("right", right);
  if (!g.needs("matrix")) return;
  const Expression whole = -call("matmul", {right, transposed(g.out())});
  g.flow("matrix", upper ? transposed(call("tril", {transposed(whole)})) : call("tril", {whole}));
}

}  // namespace

OpDef define_solve_triangular() {
  return {
      .name = "solve_triangular",
      .doc =
          "The solution X of matrix @ X = right for a lower triangular matrix, or an upper "
          "triangular one if upper=True. The other triangle of the matrix is not read.",
      .inputs = {{"matrix", "*b N N", "T=float"},
                 {"right", "*b N K", "T"},
                 value("upper", "bool", false)},
      .outputs = {{"output", "*b N K", "T"}},
      .eval = eval_solve_triangular,
      .grad = differentiate_solve_triangular,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "solve_triangular({matrix}, {right}, {upper})"},
                {"torch",
                 spell_unless_half("aten::linalg_solve_triangular(matrix, right, upper=upper)")}},
  };
}

}  // namespace mithril
