// pinv: pseudoinverses.
#include <algorithm>
#include <limits>

#include "mithril/ops/shared/singular_values.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// The largest singular value that counts as 0, as in torch.linalg.pinv.
template <typename T>
double pinv_threshold(const EvalContext& c, const Dims& dims, double largest) {
  const Datum &atol = c.value("atol"), &rtol = c.value("rtol");
  const double absolute = atol.is_none() ? 0 : atol.real();
  const auto size = static_cast<double>(std::max(dims[dims.size() - 2], dims.back()));
  const double rounding = absolute > 0 ? 0 : size * std::numeric_limits<T>::epsilon();
  return std::max(absolute, (rtol.is_none() ? rounding : rtol.real()) * largest);
}

void eval_pinv(EvalContext& c) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      const Matrix inverse = pseudoinverse(matrix_at(x, dims, i), [&](double largest) {
        return pinv_threshold<T>(c, dims, largest);
      });
      write_matrix<T>(c, 0, i, inverse.elements);
    }
  });
}

// (I - A P) Gᵀ P Pᵀ + Pᵀ P Gᵀ (I - P A) - Pᵀ G Pᵀ (Golub and Pereyra,
// https://doi.org/10.1137/0710036; pinv_backward in PyTorch's FunctionsManual.cpp).
void differentiate_pinv(GradContext& g) {
  const Expression matrix = g.in("input"), inverse = g.out(), back = transposed(inverse);
  const Expression change = transposed(g.out_grad());
  const Expression left = change - matmul(matrix, matmul(inverse, change));
  const Expression right = change - matmul(matmul(change, inverse), matrix);
  g.flow("input", matmul(matmul(left, inverse), back) + matmul(back, matmul(inverse, right)) -
                      matmul(matmul(back, g.out_grad()), back));
}

}  // namespace

OpDef define_pinv() {
  return {
      .name = "pinv",
      .doc =
          "The pseudoinverse of each matrix, as torch.linalg.pinv. Singular values up to max(atol, "
          "rtol * the largest) count as 0. atol=None is 0. rtol=None is 0 if atol is above 0, "
          "otherwise max(M, N) times the machine epsilon. The gradient assumes that the rank does "
          "not change.",
      .inputs = {{"input", "*b M N", "float"},
                 value("atol", "float|int|none", None()),
                 value("rtol", "float|int|none", None())},
      .outputs = {{"output", "*b N M", "float"}},
      .eval = eval_pinv,
      .grad = differentiate_pinv,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "pinv({input}, {atol}, {rtol})"},
                {"torch", spell_unless_half("aten::linalg_pinv(input, atol=atol, rtol=rtol)")}},
  };
}

}  // namespace mithril
