// slogdet: signs and logarithms of determinants.
#include "mithril/ops/shared/factors.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_slogdet(EvalContext& c) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    auto sign = c.write<T>(0), logarithm = c.write<T>(1);
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      const LogDeterminant found = log_determinant(factors_of(matrix_at(x, dims, i)));
      sign[i] = static_cast<T>(found.sign);
      logarithm[i] = static_cast<T>(found.logarithm);
    }
  });
}

// A⁻ᵀ; the sign is constant (slogdet_backward in PyTorch's FunctionsManual.cpp).
void differentiate_slogdet(GradContext& g) {
  const Expression matrix = g.in("input");
  const Expression inverse = call("solve", {transposed(matrix), diagonal_ones_like(matrix)});
  g.flow("input", per_matrix(g.out_grad(1)) * inverse);
}

}  // namespace

OpDef define_slogdet() {
  return {
      .name = "slogdet",
      .doc =
          "The sign of the determinant of each square matrix and the logarithm of its absolute "
          "value, which does not overflow or underflow. A singular matrix has sign 0 and logarithm "
          "-infinity. The gradient of the logarithm needs a matrix that is not singular.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"sign", "*b", "float"}, {"logabsdet", "*b", "float"}},
      .eval = eval_slogdet,
      .grad = differentiate_slogdet,
      .separable = {"*b"},
      .work = {.uncounted = true},
      .spell = {{"jax", "slogdet({input})"},
                {"torch", spell_unless_half("aten::linalg_slogdet(input)")}},
  };
}

}  // namespace mithril
