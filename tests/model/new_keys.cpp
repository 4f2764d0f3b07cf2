// New keys of models.
#include <doctest/doctest.h>

#include <string>
#include <type_traits>
#include <vector>

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
