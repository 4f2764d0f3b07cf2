// Composing: names, bindings, chains, expressions, and failed calls.
#include <doctest/doctest.h>

#include "mithril/base/error.hpp"
#include "mithril/models/elementwise.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/linear_algebra.hpp"
#include "mithril/models/ops/moving_data.hpp"
#include "mithril/models/perceptron.hpp"

namespace ml = mithril;
using Keys = std::vector<std::string>;

TEST_CASE("an unconnected input is named after its path") {
  ml::Model net;
  net |= ml::Linear({.dimension = 4})({{"input", "x"}, {"output", "y"}});
  CHECK(net.input_keys() == Keys{"x", "linear.weight", "linear.bias"});
  CHECK(net.output_keys() == Keys{"y"});
}

TEST_CASE("parts that share a class are numbered") {
  ml::Model net;
  net += ml::Linear({.dimension = 4});
  net += ml::Linear({.dimension = 3});
  const Keys keys = net.input_keys();
  CHECK(std::find(keys.begin(), keys.end(), "linear.weight") != keys.end());
  CHECK(std::find(keys.begin(), keys.end(), "linear_1.bias") != keys.end());
}

TEST_CASE("a chain wires the canonical ports") {
  ml::Model net;
  net |= ml::Linear({.dimension = 4})({{"input", "x"}});
  net += ml::Relu();
  net += ml::Linear({.dimension = 2})({{"output", "y"}});
  net.set_shapes({{"x", {"N", 8}}});
  CHECK(to_string(net.shape("y")) == "[N, 2]");
  CHECK(to_string(net.shape("linear.weight")) == "[4, 8]");
  CHECK(to_string(net.shape("linear_1.weight")) == "[2, 4]");
}

TEST_CASE("an output and a weight inform the input") {
  ml::Model net;
  net |= ml::Linear()({{"input", "x"}, {"weight", "w"}, {"output", "y"}});
  net.set_shapes({{"w", {5, 7}}, {"y", {3, ml::any}}});
  CHECK(to_string(net.shape("x")) == "[3, 7]");
  CHECK(to_string(net.shape("y")) == "[3, 5]");
}

TEST_CASE("an expression becomes a model") {
  const ml::Connection x("x");
  const ml::Connection h = ml::Relu()(ml::Linear({.dimension = 8})(x)) + x;
  ml::Model block = ml::Model::create({{"output", h}});
  CHECK(block.output_keys() == Keys{"output"});
  ml::Model net;
  net |= block({{"x", "image"}, {"output", "y"}});
  net.set_shapes({{"image", {2, ml::any}}});
  CHECK(to_string(net.shape("y")) == "[2, 8]");
}

TEST_CASE("a part with named ports is an expression, too") {
  const ml::Connection x("x");
  const ml::Connection h =
      x + ml::Linear({.dimension = 8})({{"input", ml::Relu()({{"input", x}})}, {"weight", "w"}});
  ml::Model block = ml::Model::create({{"output", h}});
  block.set_shapes({{"x", {2, 8}}});
  CHECK(to_string(block.shape("w")) == "[8, 8]");
  CHECK(to_string(block.shape("output")) == "[2, 8]");
  CHECK_THROWS_AS(ml::Relu()({{"inptu", x}}), ml::NameError);
}

TEST_CASE("arithmetic on a shape is known when the dims are") {
  const ml::Connection x("x");
  const ml::Connection flat = x.reshape({x.shape()[0], x.shape()[1] * x.shape()[2]});
  ml::Model model = ml::Model::create({{"output", flat}});
  model.set_shapes({{"x", {"N", 3, "W"}}});
  CHECK(to_string(model.shape("output")) == "[N, 3*W]");
}

TEST_CASE("an int on the left of a connection stays an int") {
  const ml::Connection x("x");
  ml::Model model =
      ml::Model::create({{"y", x.reshape({2 * x.shape()[0], 12 - x.shape()[1]})},
                         {"power", ml::apply("zeros", {{7 % x.shape()[0], ml::pow(2, x.len())}})},
                         {"larger", 3 > x}});
  model.set_shapes({{"x", {4, 8}}});
  CHECK(to_string(model.shape("y")) == "[8, 4]");
  CHECK(to_string(model.shape("power")) == "[3, 16]");
  CHECK(to_string(model.at("larger").known_shape()) == "[4, 8]");
}

TEST_CASE("the ends of a slice may be connections") {
  const ml::Connection x("x");
  ml::Model model = ml::Model::create({{"y", x[ml::slice(1, x.shape()[0] - 1)]}});
  model.set_shapes({{"x", {6, 5}}});
  CHECK(to_string(model.shape("y")) == "[4, 5]");
}

TEST_CASE("a reduction takes all axes where none is given") {
  const ml::Connection x("x");
  ml::Model model =
      ml::Model::create({{"sum", x.sum()}, {"rows", ml::apply("zeros", {{x.size(0)}})}});
  model.set_shapes({{"x", {6, 5}}});
  CHECK(to_string(model.shape("sum")) == "[]");
  CHECK(to_string(model.shape("rows")) == "[6]");
}

TEST_CASE("connections may be indexed and sliced") {
  const ml::Connection x("x");
  ml::Model model =
      ml::Model::create({{"row", x[0]}, {"part", x.at({ml::slice(1, 4), ml::ellipsis, ml::none})}});
  model.set_shapes({{"x", {6, 5}}});
  CHECK(to_string(model.shape("row")) == "[5]");
  CHECK(to_string(model.shape("part")) == "[3, 5, 1]");
}

TEST_CASE("a list of connections is joined") {
  ml::Model model;
  model |= ml::Concat()({{"input", {"a", "b", "a"}}, {"axis", 1}, {"output", "y"}});
  model.set_shapes({{"a", {"N", 2}}, {"b", {ml::any, "M"}}});
  CHECK(to_string(model.shape("y")) == "[N, M + 4]");
}

TEST_CASE("a failed call leaves model and part as they were") {
  ml::Model net;
  net |= ml::Linear({.dimension = 64})({{"input", "x"}, {"output", "h"}});
  ml::Model next = ml::Linear({.dimension = 10});
  next.set_shapes({{"weight", {10, 65}}});
  const std::string net_before = net.summary(), next_before = next.summary();
  CHECK_THROWS_AS((net |= next({{"input", "h"}, {"output", "y"}})), ml::ShapeError);
  CHECK(net.summary() == net_before);
  CHECK(next.summary() == next_before);
  net |= ml::Linear({.dimension = 10})({{"input", "h"}, {"output", "y"}});
  CHECK(net.output_keys() == Keys{"h", "y"});
}

TEST_CASE("a part that is an op can be added again after a failed call") {
  ml::Model net;
  net |= ml::Relu()({{"input", "x"}, {"output", "y"}});
  const ml::Model relu = ml::Relu();
  CHECK_THROWS_AS((net |= relu({{"input", "x"}, {"output", "y"}})), ml::ConnectionError);
  net |= relu({{"input", "x"}, {"output", "z"}});
  CHECK(net.output_keys() == Keys{"y", "z"});
}

TEST_CASE("a model with many keys finds those that are named after a failed call") {
  ml::Model net;
  for (int i = 0; i < 14; ++i) {
    const std::string number = std::to_string(i);
    net |= ml::Model::op("relu")({{"input", "x"}, {"output", "y" + number}});
  }
  const ml::IOKey row{.name = "row", .shape = ml::ShapeSpec{3}};
  const ml::IOKey other{.name = "other", .shape = ml::ShapeSpec{4}};
  CHECK_THROWS_AS(net |= ml::Model::op("add")({{"left", row}, {"right", other}}), ml::ShapeError);
  net |= ml::Model::op("relu")({{"input", "y13"}, {"output", "z"}});
  CHECK(net.at("z").name() == "z");
}

TEST_CASE("exposed keys are the only outputs once any are") {
  ml::Model net;
  net |= ml::Relu()({{"input", "x"}, {"output", "h"}});
  net |= ml::Tanh()({{"input", "h"}, {"output", "y"}});
  CHECK(net.output_keys() == Keys{"h", "y"});
  net.expose_keys(Keys{"y"});
  CHECK(net.output_keys() == Keys{"y"});
}

TEST_CASE("connections that are merged are one input") {
  ml::Model net;
  net |= ml::Relu()({{"input", "a"}, {"output", "y"}});
  net |= ml::Tanh()({{"input", "b"}, {"output", "z"}});
  net.merge_connections({"a", "b"});
  net.set_shapes({{"a", {2, 3}}});
  CHECK(to_string(net.shape("z")) == "[2, 3]");
  CHECK(net.input_keys().size() == 1);
}

TEST_CASE("models may be nested a hundred thousand deep") {
  ml::Model model;
  model |= ml::Relu()({{"input", "x"}, {"output", "y"}});
  for (int i = 0; i < 100000; ++i) {
    ml::Model outer;
    outer |= model({{"x", "x"}, {"y", "y"}});
    model = outer;
  }
  model.set_shapes({{"x", {4}}});
  CHECK(to_string(model.shape("y")) == "[4]");
}

TEST_CASE("a part that outlives its model cannot be used") {
  const ml::Model part = ml::Linear({.dimension = 2});
  {
    ml::Model net;
    net |= part({{"input", "x"}});
  }
  ml::Model other;
  CHECK_THROWS_AS((other |= part({{"input", "x"}})), ml::ConnectionError);
}

TEST_CASE("an unknown port is refused where it is written") {
  const ml::Model linear = ml::Linear({.dimension = 4});
  CHECK_THROWS_WITH_AS(linear({{"inptu", "x"}}),
                       "mithril.NameError[E0604]: Linear has no port 'inptu'\n"
                       "  known : input, weight, bias, output\n"
                       "  help: did you mean 'input'?",
                       ml::NameError);
  CHECK_THROWS_AS(ml::Relu().connect({{"out", "y"}}), ml::NameError);
}

TEST_CASE("a canonical output without a name is called output") {
  ml::Model net, parent;
  net |= ml::Linear({.dimension = 4});
  net += ml::Relu();
  CHECK(net.output_keys() == Keys{"output"});
  parent |= net({{"output", "y"}});
  CHECK(parent.output_keys() == Keys{"y"});
}

TEST_CASE("connections shift and give their tensors") {
  const ml::Connection x(ml::IOKey{.name = "x", .type = ml::kind::int_tensor});
  const ml::Model model = ml::Model::create({{"y", (x.tensor() << 3) >> 1}});
  CHECK(model.input_keys() == Keys{"x"});
  CHECK(to_string(model.get_shapes().at("y")) == "[...]");
}

TEST_CASE("a described key with a shape is a tensor") {
  const ml::Connection x(
      ml::IOKey{.name = "x", .shape = ml::ShapeSpec{3}, .type = ml::kind::int_value});
  CHECK_NOTHROW(ml::Model::create({{"y", x.tensor() << 1}}));
  CHECK_THROWS_AS(
      ml::Connection(ml::IOKey{.name = "x", .shape = ml::ShapeSpec{3}, .type = ml::kind::string}),
      ml::TypeError);
}

TEST_CASE("an output may be an input") {
  const ml::Connection x("x");
  const ml::Model model = ml::Model::create({{"same", x}, {"twice", x * 2.0}});
  CHECK(model.input_keys() == Keys{"x"});
  CHECK(model.output_keys() == Keys{"same", "twice"});
}

TEST_CASE("exposing an input names it and leaves the outputs") {
  ml::Model net;
  net |= ml::Linear({.dimension = 4})({{"input", "x"}, {"output", "y"}});
  net.expose_keys({{"w", net.at("linear.weight")}});
  CHECK(net.input_keys() == Keys{"x", "w", "linear.bias"});
  CHECK(net.output_keys() == Keys{"y"});
}

TEST_CASE("keys are renamed, merged, and chosen for chaining") {
  ml::Model part, net;
  part |= ml::Linear({.dimension = 4})({{"input", "x"}, {"output", "h"}});
  part |= ml::Relu()({{"input", "h"}, {"output", "y"}});
  part.rename_key("linear.weight", "w").set_cin({"w"}).set_cout({"h"});
  net |= ml::Relu()({{"input", "image"}});
  net += part;
  net += ml::Relu()({{"output", "out"}});
  net.set_shapes({{"image", {4, 7}}});
  CHECK(to_string(net.shape("model.x")).ends_with(", 7]"));
  CHECK(to_string(net.shape("out")).ends_with(", 4]"));
  net.merge_connections({"image", "model.x"}, "both");
  CHECK(to_string(net.shape("both")) == "[4, 7]");
  CHECK(net.input_keys() == Keys{"both", "model.linear.bias"});
}

TEST_CASE("a summary shows as many levels, shapes and types as are asked for") {
  ml::Model net;
  net |= ml::Linear({.dimension = 4})({{"input", "x"}, {"output", "y"}});
  net.set_shapes({{"x", {"N", 3}}});
  CHECK(net.summary(false) ==
        "Model\npart    class\n--------------\nlinear  Linear\n"
        "inputs:  x [N, 3], linear.weight [4, 3], linear.bias [4]\noutputs: y [N, 4]\n");
  CHECK(net.summary(true, true).find("float tensor") != std::string::npos);
  CHECK(net.summary().find("primitivelinear") == std::string::npos);
  CHECK(net.summary(true, false, 1).find("  primitivelinear") != std::string::npos);
}

TEST_CASE("a large part that outlives its model has no keys left") {
  ml::Model inner;
  for (int i = 0; i < 20; ++i)
    inner |= ml::Relu()({{"input", "x"}, {"output", "y" + std::to_string(i)}});
  {
    ml::Model outer;
    outer |= inner;
  }
  CHECK_THROWS_AS(inner.at("y3"), ml::Error);
  CHECK_THROWS_AS(inner.at("relu_3.output"), ml::Error);
}

TEST_CASE("a name for a list port names each of its numbered ports") {
  ml::Model net;
  net |= ml::Split({.split_size = 2, .axis = 0})({{"input", "x"}, {"output", "half"}});
  net |= ml::Split({.split_size = 2, .axis = 0})(
      {{"input", "half_0"}, {"output", std::vector<ml::Binding>{"first", "second"}}});
  net.set_shapes({{"x", {8}}});
  CHECK(to_string(net.shape("half_1")) == "[4]");
  CHECK(to_string(net.shape("second")) == "[2]");
  CHECK_THROWS_AS(ml::Split({.split_size = 2, .axis = 0})({{"outputs", "half"}}), ml::Error);
}

TEST_CASE("values given to a list port are its items") {
  ml::Model net;
  net |= ml::Indexer()(
      {{"input", "x"}, {"index", ml::Datum(ml::Tuple{ml::Datum(), 1})}, {"output", "y"}});
  net.set_shapes({{"x", {8, 3}}});
  CHECK(to_string(net.shape("y")) == "[1, 3]");
}
