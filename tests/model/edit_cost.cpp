// Numbers of parameters, operations and bytes.
#include "mithril/edit/cost.hpp"

#include <doctest/doctest.h>

#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril::tests {

TEST_CASE("parameters, operations and bytes are counted per part") {
  Model net;
  net |= Linear({.dimension = 8}).named("fc")({{"input", "x"}, {"weight", "w"}, {"output", "h"}});
  net |= Linear({.dimension = 4}).named("tied")({{"input", "h"}, {"output", "y"}});
  net |= Tanh()({{"input", "y"}, {"output", "z"}});
  CHECK_THROWS_WITH_AS(count_parameters(net), doctest::Contains("w"), ShapeError);
  CHECK_THROWS_WITH_AS(cost(net), doctest::Contains("E0209"), ShapeError);
  const ModelCost found = cost(net, {{"x", {5, 3}}});
  CHECK(found.parts.at("fc").operations == 2 * 5 * 8 * 3);
  CHECK(found.parts.at("tanh").operations == 5 * 4);
  CHECK(found.parts.at("tanh").bytes == 2 * 4 * 5 * 4);
  CHECK(found.total.operations == 2 * 5 * 8 * 3 + 2 * 5 * 4 * 8 + 5 * 4);
  net.set_shapes({{"x", {5, 3}}});
  CHECK(count_parameters(net) == 8 * 3 + 8 + 4 * 8 + 4);
}

}  // namespace mithril::tests
