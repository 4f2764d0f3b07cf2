#include "mithril/infer/solved_sizes.hpp"

#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/infer/facts.hpp"

namespace mithril::tests {
namespace {

Dim refuse(Symbol*) { raise({.kind = ErrorKind::shape, .code = "E0209", .message = "open"}); }

}  // namespace

TEST_CASE("sizes follow from multiples, sums and products of sizes") {
  Facts inside, outside;
  const Dim n = Dim(inside.symbol("n")), t = Dim(inside.symbol("t")),
            open = Dim(inside.symbol("open"));
  const Dim m = Dim(outside.symbol("m")), k = Dim(outside.symbol("k"));
  SolvedSizes sizes;
  sizes.add(Dim(4), Dim(4));
  sizes.add(2 * t + n + 1, 2 * k + m + 1);  // follows once the next one is known
  sizes.add(3 * n, 3 * m);
  CHECK(same(sizes(n, refuse), m));
  CHECK(same(sizes(6 * n + 2, refuse), 6 * m + 2));
  CHECK(same(sizes(t * n, refuse), k * m));
  CHECK(same(sizes(Dim(7), refuse), 7));
  CHECK_THROWS_AS(sizes(open, refuse), ShapeError);
  CHECK_THROWS_AS(sizes(n + open, refuse), ShapeError);
}

TEST_CASE("a product of sizes, and whole multiples of a sum, are known without its parts") {
  Facts inside, outside;
  const Dim n = Dim(inside.symbol("n")), t = Dim(inside.symbol("t"));
  const Dim m = Dim(outside.symbol("m")), k = Dim(outside.symbol("k"));
  SolvedSizes product, sum;
  product.add(3 * n * t, 3 * m);
  CHECK(same(product(n * t + 1, refuse), m + 1));
  CHECK_THROWS_AS(product(n, refuse), ShapeError);
  sum.add(n + t, m + k);
  CHECK(same(sum(2 * n + 2 * t, refuse), 2 * m + 2 * k));
  CHECK_THROWS_AS(sum(2 * n + t, refuse), ShapeError);
}

TEST_CASE("sizes may be numbers") {
  Facts inside;
  const Dim n = Dim(inside.symbol("n"));
  SolvedSizes sizes;
  sizes.add(3 * n, Dim(12));
  CHECK(sizes(n * n + n, refuse).is_constant(20));
}

}  // namespace mithril::tests
