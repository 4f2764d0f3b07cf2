// Products of the columns of a matrix, for linear layers that fit polynomials.
#include "mithril/ops/support/monomials.hpp"
#include "mithril/ops/support/support.hpp"

namespace mithril {
namespace {

bool solve_polynomial_features(Solver& s) {
  const Datum* degree = s.value("degree");
  int64_t highest = 0;
  if (!degree || !s.number(degree->dim(), highest)) return false;
  check_degree(s, highest);
  s.set("F", monomial_count(s.dim("D"), highest));
  return true;
}

// Gathers the factors of each product, all first factors together, from the columns and one column
// of ones.
void expand_polynomial_features(ExpandContext& e) {
  const Expression x = e.in("input");
  const Tuple nothing{0, 0}, one_before{1, 0};
  const Expression columns = call("pad", {x, Datum(Tuple{nothing, one_before}), 1});
  const Dim variables = columns.dims()[1] - 1;
  const Expression factors = e.make("monomials", {Datum(variables), e.operand("degree")});
  auto pick = [&](int64_t which) {
    const Expression index = call("gather", {factors, Datum(Dim(which)), 1});
    return call("gather", {columns, index, 1});
  };
  Expression product = pick(0);
  for (int64_t i = 1; i < e.value("degree").integer(); ++i) product = product * pick(i);
  e.become(product);
}

}  // namespace

OpDef define_polynomial_features() {
  return {
      .name = "polynomial_features",
      .doc =
          "All products of 1 to `degree` columns, ordered by degree. For columns [a, b] and "
          "degree=2 they are [a, b, a², ab, b²].",
      .inputs = {{"input", "N D", "T=number"}, value("degree", "int")},
      .outputs = {{"output", "N F", "T"}},
      .solve = solve_polynomial_features,
      .expand = expand_polynomial_features,
  };
}

}  // namespace mithril
