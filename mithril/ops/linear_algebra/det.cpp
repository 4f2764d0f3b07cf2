// det: determinants.
#include <vector>

#include "mithril/ops/shared/factors.hpp"
#include "mithril/ops/support/broadcasting.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// det(A) A⁻ᵀ.
void differentiate_det(GradContext& g) {
  const Expression matrix = g.in("input");
  const Expression lower = call("tril", {fill_like(matrix, 1)});
  const Expression unit = lower * transposed(lower);
  const Expression column = call("expand_dims", {g.out_grad() * g.out(), -1});
  const Expression scale = call("expand_dims", {column, -1});
  g.flow("input", scale * call("solve", {transposed(matrix), unit}));
}

}  // namespace

OpDef define_det() {
  return {
      .name = "det",
      .doc =
          "The determinant of each square matrix. Its gradient needs a matrix that is not "
          "singular.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"output", "*b", "float"}},
      .eval =
          [](EvalContext& c) {
            each_matrix(c, [](const Matrix& matrix) {
              return std::vector<double>{determinant(factors_of(matrix))};
            });
          },
      .grad = differentiate_det,
      .separable = {"*b"},
      .spell = {{"jax", "det({input})"}, {"torch", spell_unless_half("aten::linalg_det(input)")}},
  };
}

}  // namespace mithril
