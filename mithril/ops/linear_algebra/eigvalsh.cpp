// eigvalsh: eigenvalues for the determinant in the likelihood of a Gaussian process.
#include <limits>

#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

Expression diagonal_column(const Expression& x) {
  const Expression chosen = call("equal", {call("eye_like", {x}), 1});
  return call("sum", {call("where", {chosen, x, 0}), 1, true});
}

double eigenvalue_threshold(const Datum& threshold, DType dtype) {
  if (!threshold.is_none()) return threshold.real();
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon()
                                 : std::numeric_limits<float>::epsilon();
}

}  // namespace

OpDef define_eigvalsh() {
  return {
      .name = "eigvalsh",
      .doc =
          "The diagonal of L, a Cholesky factor of K_term, as a column. Without L, the eigenvalues "
          "of the symmetric matrix K_term in ascending order, at least `threshold`. threshold=None "
          "is the machine epsilon.",
      .inputs = {{"K_term", "N N", "float"},
                 optional("L", "N N", "float"),
                 value("threshold", "float|none", None())},
      .outputs = {{"output", "N 1", "float"}},
      .expand =
          [](ExpandContext& e) {
            if (e.has("L")) return e.become(diagonal_column(e.in("L")));
            const Expression values = call("eigenvalues", {e.in("K_term")});
            const double least = eigenvalue_threshold(e.value("threshold"), values.dtype());
            e.become(call("expand_dims", {call("maximum", {values, least}), 1}));
          },
      .work = {.uncounted = true},
  };
}

}  // namespace mithril
