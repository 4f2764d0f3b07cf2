// Shapes: unifying, broadcasting, in both directions.
#include <doctest/doctest.h>

#include "mithril/infer/facts.hpp"

namespace mithril {
namespace {

StoredShape free_shape(Facts& facts) { return {.run = facts.run()}; }

std::string text(const StoredShape& shape) { return to_string(Facts::resolve(shape)); }

void give(Facts& facts, const StoredShape& shape, std::vector<Dim> dims) {
  facts.unify(shape, dims);
}

TEST_CASE("a run takes the dims between head and tail") {
  Facts facts;
  Run* run = facts.run();
  const Dim m(facts.symbol("M")), k(facts.symbol("K"));
  const StoredShape pattern = facts.store(Shape{{}, run, {m, k}});
  give(facts, pattern, {2, 3, 4, 5});
  CHECK(to_string(m) == "4");
  CHECK(to_string(k) == "5");
  CHECK(text({.run = run}) == "[2, 3]");
}

TEST_CASE("two shapes of unknown rank become one") {
  Facts facts;
  const StoredShape a = free_shape(facts), b = free_shape(facts), c = free_shape(facts);
  facts.unify(a, b);
  facts.unify(b, c);
  give(facts, c, {3, 1});
  CHECK(text(a) == "[3, 1]");
}

TEST_CASE("runs that may overlap wait for each other") {
  Facts facts;
  Run *front = facts.run(), *back = facts.run();
  const Dim last(facts.symbol("last")), first(facts.symbol("first"));
  facts.unify(Shape{{}, front, {last}}, Shape{{first}, back, {}});
  CHECK(text({.run = front}) == "[...]");
  give(facts, {.run = front}, {2, 3});
  facts.settle();
  CHECK(to_string(first) == "2");
  CHECK(text({.run = back}) == "[3, last]");
}

TEST_CASE("a shape that would contain itself is refused") {
  Facts facts;
  Run* run = facts.run();
  CHECK_THROWS_AS(facts.unify(Shape{{}, run, {Dim(2)}}, Shape{{}, run, {}}), ShapeError);
}

struct Sum {
  Facts facts;
  StoredShape a = free_shape(facts), b = free_shape(facts), out = free_shape(facts);
  Sum() { facts.broadcast(a, b, out, {}); }
};

TEST_CASE("known operands give the result of broadcasting") {
  Sum sum;
  give(sum.facts, sum.a, {5, 1, 4});
  give(sum.facts, sum.b, {3, 1});
  sum.facts.settle();
  CHECK(text(sum.out) == "[5, 3, 4]");
}

TEST_CASE("a dim that is not 1 decides the result before the other is known") {
  Sum sum;
  const Dim n(sum.facts.symbol("N"));
  give(sum.facts, sum.a, {n, 4});
  give(sum.facts, sum.b, {1, Dim(sum.facts.symbol("M"))});
  sum.facts.settle();
  CHECK(text(sum.out) == "[N, 4]");
}

TEST_CASE("last dims are paired while the ranks are unknown") {
  Sum sum;
  Run *left = sum.facts.run(), *right = sum.facts.run();
  sum.facts.unify(sum.a, sum.facts.store(Shape{{}, left, {4, 1}}));
  sum.facts.unify(sum.b, sum.facts.store(Shape{{}, right, {1, 5}}));
  sum.facts.settle();
  CHECK(text(sum.out) == "[..., 4, 5]");
  give(sum.facts, {.run = left}, {2});
  give(sum.facts, {.run = right}, {3, 1});
  sum.facts.settle();
  CHECK(text(sum.out) == "[3, 2, 4, 5]");
}

TEST_CASE("operands of known rank give it to a result of which the first dims are known") {
  Sum sum;
  const Dim n(sum.facts.symbol()), c(sum.facts.symbol());
  sum.facts.unify(sum.out, sum.facts.store(Shape{{n, c}, sum.facts.run(), {}}));
  give(sum.facts, sum.a, {1, 3});
  give(sum.facts, sum.b, {0, 1});
  sum.facts.settle();
  CHECK(text(sum.out) == "[0, 3]");
}

TEST_CASE("operands of no dims and of zero size broadcast") {
  Sum scalar, empty;
  give(scalar.facts, scalar.a, {});
  give(scalar.facts, scalar.b, {3});
  scalar.facts.settle();
  CHECK(text(scalar.out) == "[3]");
  give(empty.facts, empty.a, {0, 1});
  give(empty.facts, empty.b, {1, 2});
  empty.facts.settle();
  CHECK(text(empty.out) == "[0, 2]");
}

TEST_CASE("a result tells the rank of the longer operand") {
  Sum sum;
  give(sum.facts, sum.b, {4});
  give(sum.facts, sum.out, {2, 3, 4});
  sum.facts.settle();
  Shape longer = Facts::resolve(sum.a);
  CHECK(longer.run == nullptr);
  CHECK(longer.tail.size() == 3);
  CHECK(to_string(longer.tail[0]) == "2");
  CHECK(to_string(longer.tail[1]) == "3");
}

TEST_CASE("a result of ones has operands of ones") {
  Sum sum;
  give(sum.facts, sum.a, {Dim(sum.facts.symbol("p"))});
  give(sum.facts, sum.b, {Dim(sum.facts.symbol("q"))});
  give(sum.facts, sum.out, {1});
  sum.facts.settle();
  CHECK(text(sum.a) == "[1]");
  CHECK(text(sum.b) == "[1]");
}

TEST_CASE("two unknown dims wait, and either decides later") {
  Sum sum;
  const Dim p(sum.facts.symbol("p")), q(sum.facts.symbol("q"));
  give(sum.facts, sum.a, {p});
  give(sum.facts, sum.b, {q});
  sum.facts.settle();
  const Dim result = Facts::resolve(sum.out).tail.at(0);
  CHECK_FALSE(same(result, p));
  sum.facts.unify(p, 1);
  sum.facts.settle();
  CHECK(same(result, q));
}

TEST_CASE("a waiting relation is not run until a fact that it read changes") {
  Sum sum;
  sum.facts.settle();
  const int64_t before = sum.facts.steps;
  for (int i = 0; i < 100; ++i) give(sum.facts, free_shape(sum.facts), {i});
  sum.facts.settle();
  CHECK(sum.facts.steps == before);
}

}  // namespace
}  // namespace mithril
