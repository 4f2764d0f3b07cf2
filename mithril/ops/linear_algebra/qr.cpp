// qr: orthogonal factors.
#include <algorithm>
#include <string>

#include "mithril/base/error.hpp"
#include "mithril/ops/shared/orthogonal_factors.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_qr(Solver& s) {
  const Datum* mode = s.value("mode");
  if (!mode) return false;
  if (mode->text() == "reduced") return solve_lesser_size(s);
  s.set("K", s.dim("M"));
  return true;
}

void eval_qr(EvalContext& c) {
  const Dims& dims = c.dims("input");
  const auto x = c.read<double>("input");
  c.typed([&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < matrix_count(dims); ++i) {
      const OrthogonalFactors found =
          orthogonal_factors(matrix_at(x, dims, i), c.out().dims().back());
      write_matrix<T>(c, 0, i, found.q.elements);
      write_matrix<T>(c, 1, i, found.r.elements);
    }
  });
}

void refuse_columns_of_no_gradient(const GradContext& g) {
  const Expression matrix = g.in("input");
  if (g.value("mode").text() == "reduced" || !matrix.ranked()) return;
  const Dim rows = resolve(matrix.dims()[matrix.dims().size() - 2]),
            columns = resolve(matrix.dims().back());
  if (!rows.is_constant() || !columns.is_constant() || rows.constant() <= columns.constant())
    return;
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = "qr: mode \"complete\" of more rows than columns has no gradient",
         .facts = {{"expected", "at most " + to_string(columns) + " rows", ""},
                   {"got", to_string(rows), ""}}});
}

// The first K columns X of the matrix have the gradient (G + Q S) R₁⁻ᵀ, where R₁ are those of R, G
// is the gradient of Q, and S is the symmetric matrix with the upper triangle of R₁ Gᵣᵀ - Qᵀ G and
// half of its diagonal. The other columns Y of a wide matrix are Q Qᵀ Y: they add Y Gᵧᵀ to G and
// have the gradient Q Gᵧ (linalg_qr_backward in PyTorch's FunctionsManual.cpp, where both cases are
// written apart).
void differentiate_qr(GradContext& g) {
  refuse_columns_of_no_gradient(g);
  const Expression matrix = g.in("input"), q = g.out(0), r = g.out(1);
  const Expression first = diagonal_ones_like(transposed(r));  // R * first: the first K columns
  const Expression square = matmul(r, first), of_r = matmul(g.out_grad(1), first);
  const Expression beside = g.out_grad(1) - matmul(of_r, transposed(first));
  const Expression of_q = g.out_grad(0) + matmul(matrix, transposed(beside));
  const Expression inner = matmul(of_r, transposed(square)) - matmul(transposed(q), of_q);
  const Expression lower = call("tril", {transposed(inner)});
  const Expression halved = lower - lower * diagonal_ones_like(lower) * 0.5;
  const Expression mirrored = halved + transposed(halved);
  const Expression change = of_q + matmul(q, mirrored);
  const Expression solved =
      transposed(call("solve_triangular", {square, transposed(change), true}));
  g.flow("input", matmul(solved, transposed(first)) + matmul(q, beside));
}

std::string spell_qr(const SpellingContext& c) {
  const std::string q = "aten::linalg_qr(input, mode)[0]", r = "aten::linalg_qr(input, mode)[1]";
  if (element_count(c.out()) == 0) return "[" + q + ", " + r + "]";
  const Dims& dims = c.dims("input");
  const int64_t columns = c.out().back(), pivots = std::min(dims[dims.size() - 2], dims.back());
  const std::string diagonal = "aten::diagonal(" + r + ", 0, -2, -1)";
  const std::string ones = "aten::ones_like(" + diagonal + ")";
  std::string signs =
      spell_call("aten::where", {"aten::lt(" + diagonal + ", 0)", "aten::neg(" + ones + ")", ones});
  if (columns > pivots)
    signs = spell_call("aten::constant_pad_nd", {signs, to_string(Dims{0, columns - pivots}), "1"});
  return "[aten::mul(" + q + ", aten::unsqueeze(" + signs + ", -2)), aten::mul(" + r +
         ", aten::unsqueeze(" + signs + ", -1))]";
}

}  // namespace

OpDef define_qr() {
  return {
      .name = "qr",
      .doc =
          "The QR decomposition of each matrix: Q @ R = input, where the columns of Q are "
          "orthonormal and R is upper triangular. Q has K = min(M, N) columns for "
          "mode=\"reduced\", and K = M for \"complete\". The diagonal of R is not negative, so "
          "that the factors are unique if the first min(M, N) columns are linearly independent; "
          "torch.linalg.qr leaves the signs to LAPACK. The gradient is infinite or NaN if these "
          "columns are dependent. \"complete\" has no gradient if there are more rows than "
          "columns, as in PyTorch.",
      .inputs = {{"input", "*b M N", "float"}, word("mode", {"reduced", "complete"})},
      .outputs = {{"Q", "*b M K", "float"}, {"R", "*b K N", "float"}},
      .solve = solve_qr,
      .eval = eval_qr,
      .grad = differentiate_qr,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "qr({input}, {mode})"},
                {"torch", "aten::linalg_qr, its signs made certain",
                 [](const SpellingContext& c) { return spell_unless_half(spell_qr(c)); }}},
  };
}

}  // namespace mithril
