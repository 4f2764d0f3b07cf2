// Programs of sizes: learning symbols from inputs, computing everything else.
#include "mithril/infer/size_program.hpp"

#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "mithril/infer/facts.hpp"
#include "mithril/infer/symbol.hpp"

namespace mithril {
namespace {

using Numbers = std::vector<int64_t>;

TEST_CASE("symbols are learnt from observed sizes, alone or in a sum") {
  Facts facts;
  const Dim n(facts.symbol("N")), h(facts.symbol("h"));
  SizeProgram program;
  program.observe(2 * h + n);  // waits until N is known
  program.observe(3);
  program.observe(n);
  const int area = program.add_size(n * floor_divide(h + 1, 2));
  CHECK(program.unlearnt().empty());
  Numbers sizes, values;
  CHECK_FALSE(program.learn(Numbers{14, 3, 4}, sizes).has_value());
  program.run(sizes, values);
  CHECK(values[static_cast<size_t>(area)] == 4 * 3);
}

TEST_CASE("the first size that does not fit is refused with the expected one") {
  Facts facts;
  const Dim n(facts.symbol("N")), h(facts.symbol("h"));
  SizeProgram program;
  for (const Dim& dim : {n, Dim(3), n, 2 * h + 1, h * h}) program.observe(dim);
  Numbers sizes;
  const auto mismatch = [&](const Numbers& observed) -> std::string {
    const auto wrong = program.learn(observed, sizes);
    if (!wrong) return "fits";
    return std::to_string(wrong->observation) + ": expected " + wrong->expected + ", got " +
           std::to_string(wrong->got);
  };
  CHECK(mismatch({4, 3, 4, 5, 4}) == "fits");
  CHECK(mismatch({4, 5, 4, 5, 4}) == "1: expected 3, got 5");
  CHECK(mismatch({4, 3, 6, 5, 4}) == "2: expected N = 4, got 6");
  CHECK(mismatch({4, 3, 4, 6, 4}) == "3: expected 2*h + 1, got 6");
  CHECK(mismatch({4, 3, 4, 5, 9}) == "4: expected h*h = 4, got 9");
}

TEST_CASE("a size cannot be learnt to be negative") {
  Facts facts;
  SizeProgram program;
  program.observe(Dim(facts.symbol("h")) + 5);
  Numbers sizes;
  CHECK(program.learn(Numbers{3}, sizes).has_value());
  CHECK_FALSE(program.learn(Numbers{5}, sizes).has_value());
}

TEST_CASE("symbols that nothing observed determines are named") {
  Facts facts;
  const Dim n(facts.symbol("N")), h(facts.symbol("h")), w(facts.symbol("w"));
  SizeProgram program;
  program.observe(n);
  program.observe(h + w);
  program.observe(floor_divide(w, 2));
  CHECK(program.unlearnt() == std::vector<std::string>{"h", "w"});
}

TEST_CASE("a dim of a shape that would be negative is refused") {
  Facts facts;
  const Dim h(facts.symbol("h"));
  SizeProgram program;
  program.observe(h);
  program.add(h - 9);
  program.add_size(h - 3);
  Numbers values;
  program.run(Numbers{3}, values);
  CHECK_THROWS_WITH_AS(program.run(Numbers{2}, values),
                       "mithril.ShapeError[E0204]: a dim would be negative\n  got : h - 3 = -1",
                       ShapeError);
}

TEST_CASE("equal dims are computed once") {
  Facts facts;
  const Dim h(facts.symbol("h")), w(facts.symbol("w"));
  SizeProgram program;
  CHECK(program.add(h + 2 * w) == program.add(2 * w + h));
  CHECK(program.add(h * w + 1) == program.add(1 + w * h));
  CHECK(program.inputs() == 2);
}

TEST_CASE("random dims come out as evaluating them gives") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    Facts facts;
    std::vector<Dim> dims;
    Sizes given;
    SizeProgram program;
    Numbers observed, sizes, values;
    for (int i = 0; i < 3; ++i) {
      dims.push_back(Dim(facts.symbol()));
      observed.push_back(given[dims.back().symbol()] = random() % 20);
      program.observe(dims.back());
    }
    for (int i = 0; i < 20; ++i) {
      const Dim &a = dims[random() % dims.size()], &b = dims[random() % 3];
      const int64_t number = 1 + random() % 4;
      dims.push_back(random() % 3 == 0   ? floor_divide(a, Dim(number))
                     : random() % 2 == 0 ? a + Dim(number) * b
                                         : a * (b - 1));
      if (evaluate(dims.back(), given).value_or(0) > 1000000) dims.pop_back();
    }
    std::vector<int> indices;
    for (const Dim& dim : dims) indices.push_back(program.add(dim));
    CHECK_FALSE(program.learn(observed, sizes).has_value());
    program.run(sizes, values);
    for (size_t i = 0; i < dims.size(); ++i) {
      INFO("seed ", seed, ": ", to_string(dims[i]));
      CHECK(values[static_cast<size_t>(indices[i])] == evaluate(dims[i], given));
    }
  }
}

TEST_CASE("threads run one program of sizes at once") {
  Facts facts;
  const Dim h(facts.symbol("h"));
  SizeProgram program;
  program.observe(h);
  const size_t index = static_cast<size_t>(program.add_size(floor_divide(h * h + 1, 2)));
  const auto work = [&](int64_t first, bool* right) {
    Numbers sizes, values;
    for (int64_t size = first; size < first + 5000; ++size) {
      *right = *right && !program.learn(Numbers{size}, sizes);
      program.run(sizes, values);
      *right = *right && values[index] == (size * size + 1) / 2;
    }
  };
  bool right[2] = {true, true};
  std::thread one(work, 1, &right[0]), other(work, 100, &right[1]);
  one.join();
  other.join();
  CHECK(right[0]);
  CHECK(right[1]);
}

}  // namespace
}  // namespace mithril
