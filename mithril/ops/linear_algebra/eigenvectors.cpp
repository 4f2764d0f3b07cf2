// eigenvectors: of symmetric matrices.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "mithril/ops/shared/eigen.hpp"
#include "mithril/ops/support/linear_algebra.hpp"
#include "mithril/ops/support/matrices.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

// V (F * (Vᵀ G)) Vᵀ with F[i, j] = 1 / (value[j] - value[i]), and 0 where these are equal.
void differentiate_eigenvectors(GradContext& g) {
  const Expression vectors = g.out(), values = call("eigenvalues", {g.in("input")});
  const Expression gaps = call("expand_dims", {values, -2}) - call("expand_dims", {values, -1});
  const Expression same = call("equal", {gaps, 0});
  const Expression turning = call("matmul", {transposed(vectors), g.out_grad()});
  const Expression inner = call("where", {same, 0.0, turning / call("where", {same, 1.0, gaps})});
  const Expression whole = call("matmul", {call("matmul", {vectors, inner}), transposed(vectors)});
  g.flow("input", symmetric_part(whole));
}

std::string spell_eigenvectors(const SpellingContext& c) {
  const std::string vectors = "aten::linalg_eigh(" + std::string(spelled_symmetric_part) + ")[1]";
  if (element_count(c.out()) == 0) return vectors;
  const double large = 0.6 / std::sqrt(static_cast<double>(c.out().back()));
  const std::string larger =
      "aten::ge(aten::abs(" + vectors + "), " + fmt::format("{:.17f}", large) + ")";
  const std::string first = "aten::argmax(aten::to(" + larger + ", output.dtype), -2, True)";
  const std::string negative = "aten::lt(aten::gather(" + vectors + ", -2, " + first + "), 0)";
  return spell_call("aten::where", {negative, "aten::neg(" + vectors + ")", vectors});
}

}  // namespace

OpDef define_eigenvectors() {
  return {
      .name = "eigenvectors",
      .doc =
          "The eigenvectors of the symmetric part (A + Aᵀ) / 2 of each matrix A, as columns in "
          "ascending order of their eigenvalues. They have length 1, and the first element with an "
          "absolute value of at least 0.6 / sqrt(N) is positive. Eigenvectors of equal eigenvalues "
          "are not unique, and gradients leave them out.",
      .inputs = {{"input", "*b N N", "float"}},
      .outputs = {{"output", "*b N N", "float"}},
      .eval =
          [](EvalContext& c) {
            each_matrix(c, [](const Matrix& matrix) {
              return eigen_of_symmetric(symmetric_part(matrix)).vectors.elements;
            });
          },
      .grad = differentiate_eigenvectors,
      .separable = {"*b"},
      .cast = CastPolicy::float32,
      .work = {.uncounted = true},
      .spell = {{"jax", "eigenvectors({input})"},
                {"torch", "aten::linalg_eigh, its signs made certain",
                 [](const SpellingContext& c) {
                   return spell_unless_half(spell_eigenvectors(c));
                 }}},
  };
}

}  // namespace mithril
