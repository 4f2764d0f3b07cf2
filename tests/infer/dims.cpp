// Dims: provable equality, and their text.
#include <doctest/doctest.h>

#include <limits>
#include <unordered_map>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

TEST_CASE("sums of symbols have one normal form") {
  Facts facts;
  const Dim a(facts.symbol("a")), b(facts.symbol("b")), h(facts.symbol("h"));
  CHECK(same(a + b, b + a));
  CHECK(same(2 * h - h, h));
  CHECK(same((a + b) * 3 - 3 * b, 3 * a));
  CHECK(same(a - a, 0));
}

TEST_CASE("whole multiples come out of a quotient") {
  Facts facts;
  const Dim a(facts.symbol("a")), b(facts.symbol("b")), h(facts.symbol("h"));
  CHECK(same(floor_divide(4 * h + 9, 4), h + 2));
  CHECK(same(floor_divide(6 * a * b, 2 * b), 3 * a));
  CHECK(same(floor_divide(6 * h + 4, 4), floor_divide(3 * h + 2, 2)));
  CHECK(same(floor_divide(h, -1), 0 - h));
}

TEST_CASE("quotients and products follow symbols that are merged") {
  Facts facts;
  const Dim a(facts.symbol("a")), b(facts.symbol("b")), c(facts.symbol("c"));
  const Dim quotient = floor_divide(a + 3, 2), product = a * c;
  facts.unify(a, b);
  facts.settle();
  CHECK(same(quotient, floor_divide(b + 3, 2)));
  CHECK(same(product, c * b));
}

TEST_CASE("a product whose factors turn out to be long sums is not multiplied out") {
  Facts facts;
  const Dim a(facts.symbol("a")), b(facts.symbol("b")), product = a * b;
  Dim rows = 0, columns = 0;
  for (int i = 0; i < 100; ++i) {
    rows = rows + Dim(facts.symbol());
    columns = columns + Dim(facts.symbol());
  }
  facts.unify(a, rows);
  facts.unify(b, columns);
  facts.settle();
  CHECK(resolve(product).symbol());
  facts.unify(columns, 3);
  facts.settle();
  CHECK(same(product, 3 * rows));
}

TEST_CASE("linear equations are solved") {
  Facts facts;
  const Dim x(facts.symbol("x")), y(facts.symbol("y"));
  facts.unify(x + y, 10);
  facts.unify(x - y, 4);
  facts.settle();
  CHECK(same(x, 7));
  CHECK(same(y, 3));
}

TEST_CASE("an equation without a unit factor is combined with other equations") {
  Facts facts;
  const Dim x(facts.symbol("x")), y(facts.symbol("y")), z(facts.symbol("z"));
  facts.unify(z + 6 * x + 7 * y, 22);
  facts.unify(6 * x + 7 * y, 20);
  CHECK(same(z, 2));
  facts.unify(y, 2);
  CHECK(same(x, 1));
}

TEST_CASE("an equation between quotients waits for more") {
  Facts facts;
  const Dim x(facts.symbol("x")), y(facts.symbol("y"));
  facts.unify(2 * floor_divide(x, 4), 3 * floor_divide(y, 5));
  facts.unify(y, 14);
  facts.settle();
  CHECK(same(floor_divide(x, 4), 3));
}

TEST_CASE("a definition that became trivial is removed") {
  Facts facts;
  const Dim n(facts.symbol("N")), half = floor_divide(n, 2);
  facts.unify(n, 2 * half);
  facts.settle();
  CHECK(to_string(n) == "2*" + to_string(half));
  CHECK(to_string(half).starts_with("?"));
  facts.unify(n, 8);
  facts.settle();
  CHECK(same(half, 4));
}

TEST_CASE("a product that equals its factor does not define the factor") {
  Facts facts;
  const Dim n(facts.symbol("n")), h(facts.symbol("h")), all = n * h;
  facts.unify(n, 1);
  facts.settle();
  CHECK(same(all, h));
  facts.unify(2 * h, 256);
  facts.settle();
  CHECK(same(h, 128));
  CHECK(same(all, 128));
}

TEST_CASE("an even product does not hide its factors") {
  Facts facts;
  const Dim a(facts.symbol("a")), b(facts.symbol("b")), half = floor_divide(a * b, 2);
  facts.unify(a * b, 2 * half);
  facts.settle();
  CHECK(to_string(half) == "a*b//2");
  facts.unify(a, 4);
  facts.settle();
  CHECK(same(half, 2 * b));
}

TEST_CASE("the solution of an equation keeps the signs of its symbols") {
  Facts facts;
  const Dim x(facts.symbol("x")), y(facts.symbol("y"));
  facts.unify(3 * x, 2 * y);
  facts.settle();
  CHECK(to_string(x).starts_with("2*"));
  CHECK(to_string(y).starts_with("3*"));
}

TEST_CASE("two dims that equal one quotient both learn its value") {
  Facts facts;
  const Dim h(facts.symbol("h")), a(facts.symbol("a")), b(facts.symbol("b")), g(facts.symbol("g"));
  facts.unify(a, floor_divide(h, 2) + 1);
  facts.unify(b, floor_divide(h, 2) + 1);
  facts.unify(a, 5);
  facts.settle();
  CHECK(same(b, 5));
  const Dim quotient = floor_divide(g, 2);
  facts.unify(g, h);
  facts.settle();
  CHECK(same(quotient, 4));
}

TEST_CASE("products do not depend on the order of their factors") {
  Facts facts;
  const Dim x(facts.symbol("x")), y(facts.symbol("y")), z(facts.symbol("z"));
  const Dim n(facts.symbol("n")), product = x * y * z, scaled = n * z;
  CHECK(same(product, z * (y * x)));
  facts.unify(n, x * y);
  facts.settle();
  CHECK(same(scaled, product));
  facts.unify(x, 2);
  facts.unify(z, y + 1);
  facts.settle();
  CHECK(same(product, 2 * y * y + 2 * y));
  facts.unify(y, 3);
  facts.settle();
  CHECK(same(scaled, 24));
  CHECK(same(floor_divide(product, n), 4));
}

TEST_CASE("a size is never negative, and a sum of sizes is a size") {
  Facts facts;
  const Dim size(facts.symbol("n")), axis(facts.symbol("axis", false));
  CHECK(is_size(size));
  CHECK(is_size(2 * size + 1));
  CHECK(is_size(size * size));
  CHECK(is_size(floor_divide(size + 3, 2)));
  CHECK_FALSE(is_size(size - 1));
  CHECK_FALSE(is_size(axis));
  const Dim product = axis * size;
  CHECK_FALSE(is_size(product));
  facts.unify(axis, Dim(facts.symbol("m")));
  facts.settle();
  CHECK(is_size(axis));
  CHECK(is_size(product));
}

TEST_CASE("a quotient of numbers near the smallest int64 does not overflow") {
  Facts facts;
  const int64_t large = std::numeric_limits<int64_t>::max();
  const Dim n(facts.symbol("N"));
  CHECK(to_string(floor_divide(n - large, 3)) == "(N + 2)//3 - 3074457345618258603");
  CHECK(to_string(floor_divide(n * (-large), 3)) == "-3074457345618258603*N + (2*N)//3");
}

TEST_CASE("dims are printed in common notation") {
  Facts facts;
  const Dim n(facts.symbol("N")), h(facts.symbol("h"));
  CHECK(to_string(n) == "N");
  CHECK(to_string(Dim(-3)) == "-3");
  CHECK(to_string(2 * h + 3) == "2*h + 3");
  CHECK(to_string(n - h) == "N - h");
  CHECK(to_string(2 - n) == "-N + 2");
  CHECK(to_string(floor_divide(h + 1, 2)) == "(h + 1)//2");
  CHECK(to_string(floor_divide(h, 2) + 1) == "h//2 + 1");
  CHECK(to_string(2 * floor_divide(h, n)) == "2*(h//N)");
  CHECK(to_string(n * h) == "N*h");
  CHECK(to_string(std::vector<Dim>{n, 3}) == "[N, 3]");
}

TEST_CASE("the older name of merged symbols wins, whatever the order") {
  for (const bool swapped : {false, true}) {
    Facts facts;
    const Dim n(facts.symbol("N")), free(facts.symbol()), batch(facts.symbol("batch"));
    facts.unify(swapped ? batch : n, free);
    facts.unify(swapped ? n : free, batch);
    CHECK(to_string(free) == "N");
  }
}

TEST_CASE("nameless symbols are numbered by their facts, whatever was made before") {
  for (int i = 0; i < 2; ++i) {
    Facts facts;
    facts.symbol("N");
    CHECK(to_string(Dim(facts.symbol())) == "?2");
    Facts other;
    const Dim adopted(other.symbol());
    CHECK(to_string(adopted) == "?1");
    facts.adopt(other);
    CHECK(to_string(adopted) == "?3");
    CHECK(to_string(Dim(facts.symbol())) == "?4");
  }
}

TEST_CASE("a dim is renamed into other facts, and evaluated there") {
  Facts facts, others;
  const Dim h(facts.symbol("h")), w(facts.symbol("w"));
  const Dim rows = floor_divide(h + 1, 2), columns = floor_divide(w + 1, 2);
  const Dim area = rows * columns + h;
  Renaming memo;
  const Dim renamed = rename(area, memo, [&](Symbol* s) { return Dim(others.symbol(*s->name())); });
  Renaming back;
  const Dim again = rename(renamed, back, [&](Symbol* s) { return *s->name() == "h" ? h : w; });
  CHECK(same(again, area));
  Sizes sizes{{memo.at(h.symbol()).symbol(), 7}};
  CHECK_FALSE(evaluate(renamed, sizes).has_value());
  sizes[memo.at(w.symbol()).symbol()] = 4;
  CHECK(evaluate(renamed, sizes) == 15);
}

}  // namespace
}  // namespace mithril
