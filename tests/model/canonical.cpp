// The canonical ports of a model, and of a part after others have read it.
#include <doctest/doctest.h>

#include "mithril/models/linear.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace ml = mithril;
using ml::tests::text_of_error;

namespace {

using Keys = std::vector<std::string>;

Keys names(const std::vector<ml::Connection>& ports) {
  Keys names;
  for (const ml::Connection& port : ports) names.push_back(port.name());
  return names;
}

ml::Model chain() {
  ml::Model net;
  net += ml::Linear({.dimension = 4});
  net += ml::Relu();
  return net;
}

}  // namespace

TEST_CASE("canonical ports may be connected to") {
  ml::Model net = chain();
  CHECK(net.cin().name() == "linear.input");
  const ml::Connection middle = net.cout();
  net += ml::Linear({.dimension = 4});
  net |= ml::Add()({{"left", middle}, {"right", net.cout()}, {"output", "y"}});
  CHECK(net.cout().name() == "y");
  net.set_shapes({{"y", {2, 4}}});
  CHECK(to_string(net.get_shapes().at("linear.weight")) == "[4, ?1]");
}

TEST_CASE("the canonical output of a part stays one when others have read it") {
  ml::Model body = chain(), first = chain(), second = chain(), net;
  net |= body;
  net |= first({{"linear.input", body.cout()}, {"output", "a"}});
  net |= second({{"linear.input", body.cout()}, {"output", "b"}});
  CHECK(body.cout().name() == "model.relu.output");
  CHECK(body.at("output").wire() == body.cout().wire());
  CHECK(names(first.couts()) == Keys{"a"});
  CHECK(names(net.couts()) == Keys{"a", "b"});
  const ml::Model relu = ml::Relu();
  net |= relu({{"input", "a"}, {"output", "c"}});
  CHECK(names(relu.cins()) == Keys{"a"});
  CHECK(relu.cout().name() == "c");
}

TEST_CASE("an ambiguous canonical port is refused with the candidates") {
  ml::Model net;
  net |= ml::Relu()({{"input", "x"}, {"output", "a"}});
  net |= ml::Relu()({{"input", "z"}, {"output", "b"}});
  CHECK(text_of_error([&] { net.cout(); }) ==
        "mithril.ConnectionError[E0105]: the canonical output of the model is not unique\n"
        "  candidates : a, b\n"
        "  help: name the port, or choose one with set_cin or set_cout");
  CHECK(text_of_error([&] { ml::Model().cin(); }) ==
        "mithril.ConnectionError[E0105]: the canonical input of the model is not unique\n"
        "  candidates : none\n"
        "  help: name the port, or choose one with set_cin or set_cout");
}

TEST_CASE("a key is canonical again after the part that read it was refused") {
  ml::Model body = chain(), net;
  net |= ml::Relu()({{"output", "y"}});
  CHECK_THROWS_AS(net |= body({{"output", "y"}}), ml::Error);
  body += ml::Relu();
  CHECK(body.cout().name() == "relu_1.output");
}
