// matrix_exp: exponentials of matrices.
#include "mithril/ops/shared/matrix_exponential.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The upper right block of exp([[Aᵀ, G], [0, Aᵀ]]) (Higham, Functions of Matrices, 3.6;
// linalg_matrix_exp_differential in PyTorch's FunctionsManual.cpp).
void differentiate_matrix_exp(GradContext& g) {
  const Expression back = transposed(g.in("input"));
  const Expression upper = call("concat", {back, g.out_grad(), -1});
  const Expression lower = call("concat", {fill_like(back, 0), back, -1});
  const Expression whole = call("matrix_exp", {call("concat", {upper, lower, -2})});
  const Expression rows = call("concat_grad", {whole, upper, lower, -2, 0});
  g.flow("input", call("concat_grad", {rows, back, back, -1, 1}));
}

}  // namespace

OpDef define_matrix_exp() {
  return {
      .name = "matrix_exp",
      .doc =
          "The exponential of each square matrix, the sum of input**k / k! over all k, computed by "
          "scaling and squaring.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"output", "*b N N", "float"}},
      .eval =
          [](EvalContext& c) {
            each_matrix(c, [](const Matrix& matrix) { return exponential(matrix).elements; });
          },
      .grad = differentiate_matrix_exp,
      .separable = {"*b"},
      .work = {.uncounted = true},
      .spell = {{"jax", "matrix_exp({input})"},
                {"torch", spell_unless_half("aten::linalg_matrix_exp(input)")}},
  };
}

}  // namespace mithril
