// The version that the library reports.
#include "mithril/base/version.hpp"

#include <doctest/doctest.h>

#include <algorithm>

TEST_CASE("the version has three numbers") {
  const auto text = mithril::version();
  CHECK(std::count(text.begin(), text.end(), '.') == 2);
}
