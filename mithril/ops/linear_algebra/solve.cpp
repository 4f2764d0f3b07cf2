// solve: systems of equations.
#include "mithril/ops/shared/factors.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/moving.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_solve(EvalContext& c) {
  const auto matrices = c.read<double>("matrix"), right = c.read<double>("right");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto y = c.write<T>();
    for (int64_t i = 0; i < matrix_count(c.dims("matrix")); ++i) {
      const Factors factors = factors_of(matrix_at(matrices, c.dims("matrix"), i));
      if (factors.is_singular) reject(c, "the matrix is singular", "pivots other than 0", "0");
      const Matrix x = solved(factors, matrix_at(right, c.dims("right"), i));
      for (const double element : x.elements) *y++ = static_cast<T>(element);
    }
  });
}

// The gradient of the right side is A⁻ᵀ G; the gradient of the matrix is its negative product with
// the solution.
void differentiate_solve(GradContext& g) {
  const Expression right = call("solve", {transposed(g.in("matrix")), g.out_grad()});
  g.flow("right", right);
  if (g.needs("matrix")) g.flow("matrix", -call("matmul", {right, transposed(g.out())}));
}

}  // namespace

OpDef define_solve() {
  return {
      .name = "solve",
      .doc =
          "The solution X of matrix @ X = right, by Gaussian elimination with row pivots. A "
          "singular matrix is an error.",
      .inputs = {{"matrix", "*b N N", "T=float"}, {"right", "*b N K", "T"}},
      .outputs = {{"output", "*b N K", "T"}},
      .eval = eval_solve,
      .grad = differentiate_solve,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "jnp.linalg.solve({matrix}, {right})"},
                {"torch", spell_unless_half("aten::linalg_solve(matrix, right)")}},
  };
}

}  // namespace mithril
