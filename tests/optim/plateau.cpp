// A learning rate that falls when a score stops improving.
#include "mithril/optim/plateau.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "mithril/optim/optimizers.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

std::vector<double> rates_after(const PlateauOptions& options, const std::vector<double>& scores) {
  SGD optimizer({.lr = 1});
  Plateau plateau(options);
  std::vector<double> rates;
  for (const double score : scores) {
    plateau.update(optimizer, score);
    rates.push_back(optimizer.lr());
  }
  return rates;
}

}  // namespace

TEST_CASE("a plateau reduces the rate after more bad scores than its patience") {
  CHECK(rates_after({.factor = 0.5, .patience = 1}, {3, 2, 2, 2, 2, 2, 1}) ==
        std::vector<double>{1, 1, 1, 0.5, 0.5, 0.25, 0.25});
  CHECK(rates_after({.factor = 0.5, .patience = 0, .cooldown = 2}, {1, 1, 1, 1, 1}) ==
        std::vector<double>{1, 0.5, 0.5, 0.5, 0.25});
  CHECK(rates_after({.maximize = true, .factor = 0.5, .patience = 0, .min_lr = 0.3},
                    {1, 2, 1, 1}) == std::vector<double>{1, 1, 0.5, 0.3});
}

TEST_CASE("an improvement is larger than the threshold") {
  CHECK(rates_after({.factor = 0.5, .patience = 0, .threshold = 0.5, .absolute = true},
                    {2, 1.6, 1.4}) == std::vector<double>{1, 0.5, 0.5});
  CHECK(rates_after({.factor = 0.5, .patience = 0, .threshold = 0.5}, {2, 1.2, 0.9}) ==
        std::vector<double>{1, 0.5, 0.5});
}

TEST_CASE("a plateau goes on from its state") {
  SGD optimizer({.lr = 1});
  Plateau first({.factor = 0.5, .patience = 1}), second({.factor = 0.5, .patience = 1});
  CHECK_FALSE(first.update(optimizer, 1));
  CHECK_FALSE(first.update(optimizer, 1));
  second.load_state(first.state());
  CHECK(second.update(optimizer, 1));
  CHECK(optimizer.lr() == 0.5);
}

TEST_CASE("a plateau refuses options out of range, and a schedule") {
  CHECK(text_of_error([] { Plateau({.factor = 1}); }) ==
        "mithril.ValueError[E0406]: optimizer: factor is 1, expected above 0 and below 1");
  SGD optimizer({.lr = CosineSchedule{.lr = 1, .steps = 10}});
  CHECK(text_of_error([&] { Plateau().update(optimizer, 1); }) ==
        "mithril.StateError[E0918]: a plateau reduces a learning rate that is a number, and this "
        "one is a schedule\n"
        "  help: give the optimizer a number as lr");
}

}  // namespace mithril
