// Random numbers: seeds, streams, and the moments of the distributions.
#include "mithril/base/random.hpp"

#include <doctest/doctest.h>

namespace mithril {

TEST_CASE("the same seed and stream give the same numbers") {
  Random first(7, "fc1.weight"), second(7, "fc1.weight");
  for (int i = 0; i < 10; ++i) CHECK(first.next() == second.next());
}

TEST_CASE("another seed or another stream gives other numbers") {
  CHECK(Random(7, "fc1.weight").next() != Random(8, "fc1.weight").next());
  CHECK(Random(7, "fc1.weight").next() != Random(7, "fc2.weight").next());
  CHECK(Random(0, "").next() != Random(1, "").next());
}

TEST_CASE("uniform numbers fill [0, 1) evenly") {
  Random random(1);
  double sum = 0, squares = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double drawn = random.uniform();
    REQUIRE(drawn >= 0);
    REQUIRE(drawn < 1);
    sum += drawn;
    squares += drawn * drawn;
  }
  CHECK(sum / count == doctest::Approx(0.5).epsilon(0.01));
  CHECK(squares / count == doctest::Approx(1.0 / 3).epsilon(0.01));
}

TEST_CASE("normal numbers have mean 0, deviation 1 and the tails of the normal law") {
  Random random(2);
  double sum = 0, squares = 0;
  int far = 0;
  constexpr int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double drawn = random.normal();
    sum += drawn;
    squares += drawn * drawn;
    if (drawn > 2) ++far;
  }
  CHECK(sum / count == doctest::Approx(0).epsilon(0.02));
  CHECK(squares / count == doctest::Approx(1).epsilon(0.02));
  CHECK(far / static_cast<double>(count) == doctest::Approx(0.02275).epsilon(0.1));
}

}  // namespace mithril
