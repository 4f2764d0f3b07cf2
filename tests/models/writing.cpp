// Writing models in C++: options, tuples, expressions, functions.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/arithmetic.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/losses.hpp"
#include "mithril/models/ops/moving_data.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "tests/errors/text_of_error.hpp"

namespace ml = mithril;

namespace {

using ml::tests::text_of_error;

// The value of an expression in x for x = 2.
double at_two(const std::function<ml::Connection(ml::Connection)>& expression) {
  const ml::Model model = ml::Model::create({{"y", expression(ml::Connection("x"))}});
  const auto compiled = ml::compile(model, ml::cpu({.dtype = ml::DType::float64}),
                                    {.data_keys = {"x"}, .inference = true});
  return compiled.evaluate({}, {{"x", ml::Tensor::scalar(2.0)}}).at("y").item();
}

}  // namespace

TEST_CASE("ops take their options by name") {
  ml::Model net;
  net |= ml::Flatten({.start_dim = 1})({{"input", "x"}});
  net += ml::Softmax({.axis = -1})({{"output", "y"}});
  net.set_shapes({{"x", {"N", 2, 3}}});
  CHECK(to_string(net.shape("y")) == "[N, 6]");
  CHECK(ml::Sum({.axis = {0, 1}, .keepdim = true}) ==
        ml::Model::op("sum", {{"axis", ml::Datum::ints({0, 1})}, {"keepdim", true}}));
}

TEST_CASE("options that are left out or are the defaults are not stated") {
  CHECK(ml::Softmax() == ml::Model::op("softmax"));
  CHECK(ml::Softmax({.axis = -1}) == ml::Model::op("softmax"));
  CHECK(ml::Mean({.axis = ml::none}) == ml::Model::op("mean"));
}

TEST_CASE("an option without a default stays an input") {
  CHECK(ml::Reshape().input_keys() == std::vector<std::string>{"input", "shape"});
  CHECK(ml::Reshape({.shape = {2, -1}}).input_keys() == std::vector<std::string>{"input"});
}

TEST_CASE("braces are a tuple wherever a value is taken") {
  ml::Model net;
  net |= ml::Conv2d({.filters = 2, .kernel_size = {3, 5}, .padding = {1, 2}})(
      {{"input", "x"}, {"output", "y"}});
  net.set_shapes({{"x", {1, 1, 8, 8}}});
  CHECK(to_string(net.shape("y")) == "[1, 2, 8, 8]");
  const ml::OptionValue pairs = {{1, 2}, {3, 4}};
  CHECK(ml::to_string(pairs) == "((1, 2), (3, 4))");
  ml::Model windows;
  windows |= ml::Conv2d({.filters = 2, .kernel_size = {3, 5}})({{"input", "x"}});
  CHECK(windows.shape("conv2d.weight")[0] == 2);
  windows += ml::Reshape()({{"shape", {1, -1}}, {"output", "rows"}});
  CHECK(windows.shape("rows")[0] == 1);
}

TEST_CASE("keys are exposed by their names") {
  ml::Model net;
  net |= ml::Relu()({{"input", "x"}, {"output", "a"}});
  net |= ml::Tanh()({{"input", "a"}, {"output", "b"}});
  net |= ml::Tanh()({{"input", "b"}, {"output", "c"}});
  net.expose_keys({"b", "c"});
  CHECK(net.output_keys() == std::vector<std::string>{"b", "c"});
  net.expose_keys({{"a", net.at("a")}});
  CHECK(net.output_keys() == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a connection may be declared before it is made") {
  ml::Connection sum;
  CHECK(text_of_error([&] { ml::relu(sum); }) ==
        "mithril.ConnectionError[E0118]: this connection is empty\n"
        "  help: assign one to it before it is used, such as Connection(\"x\") or what a part "
        "makes");
  CHECK_THROWS_AS(static_cast<void>(to_string(sum.known_shape())), ml::ConnectionError);
  CHECK(at_two([](const ml::Connection& x) {
          ml::Connection later;
          later = x * 1.0;
          return later;
        }) == 2);
}

TEST_CASE("a connection takes compound assignment") {
  CHECK(at_two([](const ml::Connection& x) {
          ml::Connection y = x;
          y += 3.0;  // 5
          y *= x;    // 10
          y -= 1;    // 9
          y /= 2;    // 4.5
          CHECK(x.name() == "x");
          return y;
        }) == 4.5);
}

TEST_CASE("connections compute with every type of number") {
  const std::size_t count = 3;
  CHECK(at_two([&](const ml::Connection& x) { return x * count; }) == 6);
  CHECK(at_two([&](const ml::Connection& x) { return count * x; }) == 6);
  CHECK(at_two([](const ml::Connection& x) { return x + 1u; }) == 3);
  CHECK(at_two([](const ml::Connection& x) { return x + 1LL; }) == 3);
  CHECK(at_two([](const ml::Connection& x) { return x + 0.5f; }) == 2.5);
  CHECK(text_of_error([] { ml::Connection("x") + ~std::size_t{0}; }) ==
        "mithril.ValueError[E0470]: an int is at most 9223372036854775807\n"
        "  got : 18446744073709551615");
}

TEST_CASE("every op is a function of connections") {
  CHECK(at_two([](const ml::Connection& x) { return ml::relu(-x); }) == 0);
  CHECK(at_two([](const ml::Connection& x) { return ml::maximum(x, 3.0); }) == 3);
  CHECK(at_two([](const ml::Connection& x) { return ml::minimum(3.0, x); }) == 2);
  CHECK(at_two([](const ml::Connection& x) {
          const ml::Connection row = ml::reshape(x, {1});
          return ml::sum(ml::concat({row, row}));
        }) == 4);
  CHECK(at_two([](const ml::Connection& x) {
          return ml::sum(ml::split(ml::reshape(x, {1}), {1}).front());
        }) == 2);
}

TEST_CASE("an enumerator is a value for an argument that takes words") {
  const ml::Model model =
      ml::Model::create({{"y", ml::binary_cross_entropy(ml::Connection("p"), ml::Connection("t"),
                                                        ml::BinaryCrossEntropyInputType::probs)}});
  CHECK(model.input_keys() == std::vector<std::string>{"p", "t"});
}

TEST_CASE("Flatten says that it merges the batch where that does not fit") {
  ml::Model net;
  net |= ml::Flatten()({{"input", "image"}});
  const std::string error = text_of_error([&] { net += ml::Linear({.dimension = 10}); });
  CHECK(error.substr(error.find("  help:")) ==
        "  help: Flatten() merges all axes, the batch too: Flatten(start_dim=1) keeps it");
  ml::Model meant;
  meant |= ml::Flatten({.end_dim = -1})({{"input", "image"}, {"start_dim", 0}});
  CHECK(text_of_error([&] { meant += ml::Linear({.dimension = 10}); }).find("merges all axes") ==
        std::string::npos);
}
