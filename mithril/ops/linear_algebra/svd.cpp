// svd: singular values and vectors.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "mithril/ops/shared/singular_values.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

void eval_svd(EvalContext& c) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      const SingularValues found = singular_values_of(matrix_at(x, dims, i));
      write_matrix<T>(c, 0, i, found.left.elements);
      write_matrix<T>(c, 1, i, found.values);
      write_matrix<T>(c, 2, i, found.right.elements);
    }
  });
}

bool is_known_square(const Expression& matrix) {
  if (!matrix.ranked()) return false;
  const std::vector<Dim>& dims = matrix.dims();
  return same(resolve(dims[dims.size() - 2]), resolve(dims.back()));
}

Expression skew_part(const Expression& matrix) { return matrix - transposed(matrix); }

// The gradient has two terms: U D Vᵀ, and the components of the gradients of U and V outside the
// spans of U and V, divided by the singular values. D is the gradient of the values on its
// diagonal, and (skew(Uᵀ Gᵤ)[i, j] s[j] + s[i] skew(Vᵀ Gᵥ)[i, j]) / (s[j]² - s[i]²) elsewhere
// (svd_backward in PyTorch's FunctionsManual.cpp). Equal values divide by 0. A square U or V spans
// everything.
class SvdGradient {
 public:
  explicit SvdGradient(const GradContext& g) : g_(g) {}

  Expression made() const {
    Expression inner = diagonal_ * call("expand_dims", {g_.out_grad(1), -2});
    if (g_.has_out_grad(0)) {
      const Expression turning = skew_part(matmul(transposed(left_), g_.out_grad(0)));
      inner = inner + over_gaps(turning * row_);
    }
    if (g_.has_out_grad(2)) {
      const Expression turning = skew_part(matmul(right_, transposed(g_.out_grad(2))));
      inner = inner + over_gaps(column_ * turning);
    }
    Expression whole = matmul(matmul(left_, inner), right_);
    if (g_.has_out_grad(0) && !is_known_square(left_)) {
      const Expression scaled = g_.out_grad(0) / row_;
      const Expression inside = matmul(left_, matmul(transposed(left_), scaled));
      whole = whole + matmul(scaled - inside, right_);
    }
    if (g_.has_out_grad(2) && !is_known_square(right_)) {
      const Expression scaled = g_.out_grad(2) / column_;
      const Expression inside = matmul(matmul(scaled, transposed(right_)), right_);
      whole = whole + matmul(left_, scaled - inside);
    }
    return whole;
  }

 private:
  // One gap after the other, whose product may underflow.
  Expression over_gaps(const Expression& turning) const {
    const Expression sums = call("where", {call("equal", {diagonal_, 1}), 1.0, row_ + column_});
    return turning / (row_ - column_ + diagonal_) / sums;
  }

  const GradContext& g_;
  const Expression left_ = g_.out(0), right_ = g_.out(2);
  const Expression row_ = call("expand_dims", {g_.out(1), -2}),
                   column_ = call("expand_dims", {g_.out(1), -1});
  const Expression diagonal_ = diagonal_ones_like(row_ + column_);
};

std::string spell_svd(const SpellingContext& c) {
  const std::string all = "aten::linalg_svd(input, False)";
  const std::string left = all + "[0]", values = all + "[1]", right = all + "[2]";
  if (element_count(c.out()) == 0) return "[" + left + ", " + values + ", " + right + "]";
  const double large = 0.6 / std::sqrt(static_cast<double>(c.out()[c.out().size() - 2]));
  const std::string larger =
      "aten::ge(aten::abs(" + left + "), " + fmt::format("{:.17f}", large) + ")";
  const std::string first = "aten::argmax(aten::to(" + larger + ", output.dtype), -2, True)";
  const std::string negative = "aten::lt(aten::gather(" + left + ", -2, " + first + "), 0)";
  return "[" + spell_call("aten::where", {negative, "aten::neg(" + left + ")", left}) + ", " +
         values + ", " +
         spell_call("aten::where", {"aten::transpose(" + negative + ", -2, -1)",
                                    "aten::neg(" + right + ")", right}) +
         "]";
}

}  // namespace

OpDef define_svd() {
  return {
      .name = "svd",
      .doc =
          "The singular value decomposition U @ diag(S) @ Vh = input of each matrix, as "
          "torch.linalg.svd with full_matrices=False. The K = min(M, N) singular values S are in "
          "descending order; the columns of U and the rows of Vh are orthonormal. The first "
          "element of each column of U with an absolute value of at least 0.6 / sqrt(M) is "
          "positive; torch.linalg.svd leaves the signs to LAPACK. Vectors of equal singular "
          "values, and of singular values of 0, are not unique: there the gradients of U and Vh "
          "are infinite or NaN, as in PyTorch. The gradient of S is always finite.",
      .inputs = {{"input", "*b M N", "float"}},
      .outputs = {{"U", "*b M K", "float"}, {"S", "*b K", "float"}, {"Vh", "*b K N", "float"}},
      .solve = solve_lesser_size,
      .eval = eval_svd,
      .grad = [](GradContext& g) { g.flow("input", SvdGradient(g).made()); },
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "svd({input})"},
                {"torch", "aten::linalg_svd, its signs made certain",
                 [](const SpellingContext& c) { return spell_unless_half(spell_svd(c)); }}},
  };
}

}  // namespace mithril
