// det: determinants.
#include <vector>

#include "mithril/ops/shared/factors.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// det(A) A⁻ᵀ.
void differentiate_det(GradContext& g) {
  const Expression matrix = g.in("input");
  const Expression inverse = call("solve", {transposed(matrix), diagonal_ones_like(matrix)});
  g.flow("input", per_matrix(g.out_grad() * g.out()) * inverse);
}

}  // namespace

OpDef define_det() {
  return {
      .name = "det",
      .doc =
          "The determinant of each square matrix. The gradient needs a matrix that is not "
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
      .work = {.uncounted = true},
      .spell = {{"jax", "det({input})"},
                {"onnx", "Det(input)"},
                {"torch", spell_unless_half("aten::linalg_det(input)")}},
  };
}

}  // namespace mithril
