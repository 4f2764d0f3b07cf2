// The cuts of the forward part for checkpointing.
#include "mithril/passes/segments.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace mithril {
namespace {

// Each step reads the result of the previous one, and the gradient reads everything.
std::vector<Lifetime> chain(const std::vector<double>& bytes) {
  std::vector<Lifetime> values;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t last_read = std::min(i + 1, bytes.size() - 1);
    values.push_back({.made = i, .last_read = last_read, .bytes = bytes[i], .saved = true});
  }
  return values;
}

}  // namespace

TEST_CASE("a chain of equal steps is cut into about as many segments as each has steps") {
  const std::vector<size_t> cuts = choose_cuts(chain(std::vector<double>(100, 1.0)), 100);
  CHECK(cuts.size() >= 7);
  CHECK(cuts.size() <= 13);
}

TEST_CASE("a chain is cut at its smallest values") {
  std::vector<double> bytes;
  for (int block = 0; block < 4; ++block) bytes.insert(bytes.end(), {100, 100, 100, 1});
  const std::vector<size_t> cuts = choose_cuts(chain(bytes), bytes.size());
  CHECK(cuts == std::vector<size_t>{4, 8, 12});
}

TEST_CASE("a value that is live to the end does not prevent cuts") {
  std::vector<double> bytes{1000};
  for (int block = 0; block < 4; ++block) bytes.insert(bytes.end(), {100, 100, 100, 1});
  std::vector<Lifetime> values = chain(bytes);
  values[0].last_read = bytes.size() - 1;  // a mask
  CHECK(choose_cuts(values, bytes.size()).size() >= 3);
}

TEST_CASE("no cut is chosen without values to save") {
  std::vector<Lifetime> values = chain({1, 1, 1, 1});
  for (Lifetime& value : values) value.saved = false;
  CHECK(choose_cuts(values, 4).empty());
  values = chain({1, 1, 1, 1});
  for (Lifetime& value : values) value.output = true;
  CHECK(choose_cuts(values, 4).empty());
  CHECK(choose_cuts({}, 0).empty());
}

}  // namespace mithril
