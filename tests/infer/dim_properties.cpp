// Arithmetic of dims against arithmetic of integers, on random expressions.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

int64_t floor_of(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// A dim, and its number under one assignment of its symbols.
struct Example {
  Dim dim;
  int64_t number;
};

class Examples {
 public:
  Examples(unsigned seed, bool sizes) : random_(seed) {
    for (int i = 0; i < 4; ++i) {
      Symbol* symbol = facts.symbol(std::string(1, static_cast<char>('a' + i)), sizes);
      const int64_t number = pick(10) - (sizes ? 0 : 5);
      symbols.push_back({Dim(symbol), number});
      given[symbol] = number;
    }
  }

  int64_t pick(int64_t below) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(below));
  }

  Example make(int depth) {
    if (depth == 0) {
      if (pick(4) == 0) return small_number();
      return symbols[static_cast<size_t>(pick(4))];
    }
    const Example a = make(depth - 1), b = make(static_cast<int>(pick(depth)));
    switch (pick(5)) {
      case 0:
        return {a.dim + b.dim, a.number + b.number};
      case 1:
        return {a.dim - b.dim, a.number - b.number};
      case 2:
        return {a.dim * b.dim, a.number * b.number};
      case 3:
        if (b.number != 0) return {floor_divide(a.dim, b.dim), floor_of(a.number, b.number)};
        [[fallthrough]];
      default:
        const int64_t divisor = 2 + pick(3);
        return {floor_divide(a.dim, Dim(divisor)), floor_of(a.number, divisor)};
    }
  }

  Facts facts;
  std::vector<Example> symbols;
  Sizes given;

 private:
  Example small_number() {
    const int64_t number = pick(7) - 3;
    return {Dim(number), number};
  }
  std::mt19937 random_;
};

constexpr unsigned first_seed = 1, last_seed = 200;

TEST_CASE("a dim evaluates like the same arithmetic on integers") {
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    Examples examples(seed, seed % 2 == 0);
    for (int i = 0; i < 4; ++i) {
      const Example example = examples.make(3);
      INFO("seed ", seed, ": ", to_string(example.dim));
      Sizes sizes = examples.given;
      CHECK(evaluate(example.dim, sizes) == example.number);
    }
  }
}

TEST_CASE("a dim becomes its number once its symbols are numbers, in any order") {
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    Examples examples(seed, seed % 2 == 0);
    std::vector<Example> made;
    for (int i = 0; i < 4; ++i) made.push_back(examples.make(3));
    for (size_t i = 0; i < 4; ++i) {
      const Example& symbol = examples.symbols[(i + seed) % 4];
      examples.facts.unify(symbol.dim, Dim(symbol.number));
      if (seed % 3 == 0) examples.facts.settle();
    }
    examples.facts.settle();
    for (const Example& example : made) {
      INFO("seed ", seed, ": expected ", example.number, ", got ", to_string(example.dim));
      CHECK(resolve(example.dim).is_constant(example.number));
    }
  }
}

TEST_CASE("sums and products commute, associate and distribute") {
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    Examples examples(seed, true);
    const Dim a = examples.make(2).dim, b = examples.make(2).dim, c = examples.make(1).dim;
    INFO("seed ", seed, ": ", to_string(a), ", ", to_string(b), ", ", to_string(c));
    CHECK(same(a + b, b + a));
    CHECK(same((a + b) + c, a + (b + c)));
    CHECK(same(a - b, 0 - (b - a)));
    CHECK(same(a * b, b * a));
    CHECK(same((a * b) * c, a * (b * c)));
    CHECK(same((a + b) * c, a * c + b * c));
  }
}

TEST_CASE("a whole multiple of the divisor leaves the quotient") {
  for (unsigned seed = first_seed; seed <= last_seed; ++seed) {
    Examples examples(seed, false);
    const Dim a = examples.make(2).dim, b = examples.make(2).dim;
    const int64_t divisor = 2 + examples.pick(5);
    INFO("seed ", seed, ": ", to_string(a), ", ", to_string(b), ", ", divisor);
    CHECK(
        same(floor_divide(a + Dim(divisor) * b, Dim(divisor)), floor_divide(a, Dim(divisor)) + b));
    CHECK(same(floor_divide(Dim(divisor) * a, Dim(divisor)), a));
  }
}

}  // namespace
}  // namespace mithril
