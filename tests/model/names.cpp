// The names of parts, which never change.
#include <doctest/doctest.h>

#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Keys = std::vector<std::string>;

Keys parts_of(const Model& model) {
  Keys names;
  for (const std::string& key : model.input_keys()) {
    const size_t end = key.find(".weight");
    if (end != std::string::npos) names.push_back(key.substr(0, end));
  }
  return names;
}

}  // namespace

TEST_CASE("a part keeps its name when further parts come") {
  Model net;
  net |= Linear({.dimension = 2})({{"input", "x"}});
  CHECK(parts_of(net) == Keys{"linear"});
  net += Linear({.dimension = 2});
  net += Linear({.dimension = 2});
  CHECK(parts_of(net) == Keys{"linear", "linear_1", "linear_2"});
}

TEST_CASE("a part may be named by its user") {
  Model net;
  net |= Linear({.dimension = 2}).named("fc1")({{"input", "x"}});
  net += Linear({.dimension = 2}).named("fc2");
  net += Linear({.dimension = 2});
  net += Relu().named("act")({{"output", "y"}});
  CHECK(parts_of(net) == Keys{"fc1", "fc2", "linear"});
  CHECK(net.at("act.input").name() == "linear.output");
}

TEST_CASE("an expression may name its parts") {
  const Connection x("x");
  const Model net =
      Model::create({{"y", Relu().named("act")(Linear({.dimension = 2}).named("fc")(x))}});
  CHECK(parts_of(net) == Keys{"fc"});
}

TEST_CASE("names are unique whatever the user called the others") {
  Model net;
  net |= Linear({.dimension = 2}).named("linear_1")({{"input", "x"}});
  net += Linear({.dimension = 2});
  net += Linear({.dimension = 2});
  net += Linear({.dimension = 2}).named("linear_1");
  net += Linear({.dimension = 2}).named("linear");
  CHECK(parts_of(net) == Keys{"linear_1", "linear", "linear_2", "linear_1_1", "linear_3"});
  for (const std::string& part : parts_of(net))
    CHECK(net.at(part + ".weight").name() == part + ".weight");
  CHECK(parts_of(from_json(to_json(net))) == parts_of(net));
}

TEST_CASE("names are found among many parts") {
  Model net;
  net |= Linear({.dimension = 2}).named("linear_20")({{"input", "x"}});
  for (int i = 0; i < 40; ++i) net += Linear({.dimension = 2});
  const Keys parts = parts_of(net);
  REQUIRE(parts.size() == 41);
  CHECK(parts[20] == "linear_19");
  CHECK(parts[21] == "linear_21");
  for (const std::string& part : parts) CHECK(net.at(part + ".weight").name() == part + ".weight");
  CHECK(text_of_error([&] { net.at("linear_05.weight"); }).find("E0606") != std::string::npos);
}

TEST_CASE("a call that fails gives its name back") {
  Model net;
  net |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}});
  CHECK_THROWS(net |= Linear({.dimension = 2})({{"input", "x"}, {"output", "y"}}));
  net |= Linear({.dimension = 2})({{"input", "y"}});
  CHECK(parts_of(net) == Keys{"linear", "linear_1"});
}

TEST_CASE("a part that was added keeps its name") {
  Model net, part = Relu();
  net += part;
  CHECK(text_of_error([&] { part.named("act"); }) ==
        "mithril.ConnectionError[E0119]: relu: a part keeps the name with which it was added\n"
        "  help: name it before: model |= part.named('act')");
}

}  // namespace mithril
