// New keys of models.
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a connection cannot be assigned to the result of a model") {
  CHECK(std::is_assignable_v<Connection&, Connection>);
  CHECK_FALSE(std::is_assignable_v<Connection, Connection>);
}

TEST_CASE("keys that begin with the name of a part are not its ports") {
  Model inner;
  inner |= Linear({.dimension = 3})({{"input", "x"}, {"output", "h"}});
  Model net;
  net |= inner({{"x", "x"}, {"h", "h"}});
  net |= Linear({.dimension = 2})({{"input", "h"}, {"output", "y"}});
  REQUIRE(net.input_keys() ==
          Names{"x", "model.linear.weight", "model.linear.bias", "linear.weight", "linear.bias"});
  Bindings same;
  for (const std::string& key : net.input_keys()) same.emplace_back(key, key);
  same.emplace_back("y", "y");
  const std::vector<std::string> keys = net.input_keys();
  Model outer;
  outer |= net(same);
  CHECK(outer.input_keys() == keys);
}

TEST_CASE("a new input has a new name") {
  Model net;
  net |= Relu()({{"input", "x"}, {"output", "y"}});
  const Connection z = net.add_input("z");
  net.expose_keys({{"sum", z + net.at("y")}});
  CHECK(net.input_keys() == Names{"x", "z"});
  CHECK(text_of_error([&] { net.add_input("y"); }) ==
        "mithril.NameError[E0607]: there is a key 'y' already\n"
        "  help: choose another name, or use the key: model['y']");
}

}  // namespace mithril
