// Errors of contradicting statements, as text: the key, both sides and their origins.
#include <doctest/doctest.h>

#include <string>

#include "mithril/model/connection.hpp"
#include "mithril/model/model.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/op/solver.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

// The error of the call, after which the model is unchanged.
template <typename Call>
std::string refusal(Model& model, Call call) {
  const auto before = model.get_shapes();
  std::string text = text_of_error(call);
  CHECK(model.get_shapes() == before);
  return text;
}

Model linear() {
  Model model;
  model |= Linear({.dimension = 64})({{"input", "x"}, {"weight", "w"}, {"output", "y"}});
  return model;
}

Model two_relus() {
  Model model;
  model |= Model::op("relu")({{"input", "a"}, {"output", "c"}});
  model |= Model::op("relu")({{"input", "b"}, {"output", "d"}});
  return model;
}

Model softmax() {
  Model model;
  model |= Model::op("softmax")({{"input", "x"}, {"axis", "axis"}, {"output", "y"}});
  return model;
}

}  // namespace

TEST_CASE("a shape that contradicts a layer is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.set_shapes({{"w", {4, 5}}});
                }) ==
        "mithril.ShapeError[E0202]: w: two dims differ\n"
        "  one side   : 64         from linear.weight\n"
        "  other side : 4          given by set_shapes({\"w\": [4, 5]})\n"
        "  known      : [64, ?1]   from linear.weight\n"
        "  stated     : [4, 5]     given by set_shapes({\"w\": [4, 5]})");
}

TEST_CASE("shapes of one call that contradict each other are refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.set_shapes({{"x", {2, 3}}, {"linear.weight", {64, 4}}});
                }) ==
        "mithril.ShapeError[E0202]: linear.weight: two dims differ\n"
        "  one side   : 3         given by set_shapes({\"x\": [2, 3]})\n"
        "  other side : 4         given by set_shapes({\"linear.weight\": [64, 4]})\n"
        "  known      : [64, 3]   from linear.weight\n"
        "  stated     : [64, 4]   given by set_shapes({\"linear.weight\": [64, 4]})");
}

TEST_CASE("a shape of another rank is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.set_shapes({{"w", {4}}});
                }) ==
        "mithril.ShapeError[E0201]: w: ranks differ\n"
        "  one side   : [64, ?1]   from linear.weight\n"
        "  other side : [4]        given by set_shapes({\"w\": [4]})\n"
        "  help: a model adds no dims by itself: state the other rank, and reshape the tensor");
}

TEST_CASE("a rank that contradicts a later part is refused") {
  Model model;
  model |= Linear({.dimension = 4})({{"input", "x"}, {"output", "h"}});
  model |= Conv2d({.filters = 3, .kernel_size = 3})({{"input", "h"}});
  CHECK(refusal(model,
                [&] {
                  model.set_shapes({{"x", {8, 3}}});
                }) ==
        "mithril.ShapeError[E0201]: x: ranks differ\n"
        "  one side   : [?1, ?2, ?3, ?4]   from conv2d.input\n"
        "  other side : [8, 3]             given by set_shapes({\"x\": [8, 3]})\n"
        "  help: a model adds no dims by itself: state the other rank, and reshape the tensor");
}

TEST_CASE("a shape that does not fit an earlier one of unknown rank is refused") {
  Model model = two_relus();
  model.set_shapes({{"a", {rest("R"), 3}}, {"b", {4, rest("R")}}});
  model.merge_connections({"a", "b"});
  CHECK(refusal(model,
                [&] {
                  model.set_shapes({{"a", {5}}});
                }) ==
        "mithril.ShapeError[E0202]: a: two dims differ\n"
        "  one side   : 3          given by set_shapes({\"a\": [..., 3]})\n"
        "  other side : 5          given by set_shapes({\"a\": [5]})\n"
        "  known      : [..., 3]   given by set_shapes({\"a\": [..., 3]})\n"
        "  stated     : [5]        given by set_shapes({\"a\": [5]})");
}

TEST_CASE("a type that contradicts an op is refused") {
  Model model = two_relus();
  CHECK(refusal(model,
                [&] {
                  model.set_types({{"a", kind::int_value}});
                }) ==
        "mithril.TypeError[E0301]: a: types differ\n"
        "  one side   : int tensor or float tensor   from relu.input\n"
        "  other side : int                          given by set_types({\"a\": int})");
}

TEST_CASE("a value that contradicts another is refused") {
  Model model = softmax();
  model.set_values({{"axis", 2}});
  CHECK(refusal(model,
                [&] {
                  model.set_values({{"axis", 1}});
                }) ==
        "mithril.ValueError[E0401]: axis: values differ\n"
        "  one side   : 2   given by set_values({\"axis\": 2})\n"
        "  other side : 1   given by set_values({\"axis\": 1})");
}

TEST_CASE("a value of another kind is refused") {
  Model model = softmax();
  CHECK(refusal(model,
                [&] {
                  model.set_values({{"axis", Datum("last")}});
                }) ==
        "mithril.TypeError[E0301]: axis: types differ\n"
        "  one side   : int      from softmax.axis\n"
        "  other side : str      given by set_values({\"axis\": \"last\"})\n"
        "  stated     : \"last\"   given by set_values({\"axis\": \"last\"})");
}

TEST_CASE("a value for a port that takes a tensor is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.set_values({{"w", 3}});
                }) ==
        "mithril.TypeError[E0301]: w: types differ\n"
        "  one side   : float tensor            from linear.primitivelinear.weight\n"
        "  other side : int                     given by set_values({\"w\": 3})\n"
        "  known      : float tensor [64, ?1]   from linear.primitivelinear.weight\n"
        "  stated     : 3                       given by set_values({\"w\": 3})");
}

TEST_CASE("a tensor of another shape is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.set_values({{"w", Tensor(DType::float32, {3, 4})}});
                }) ==
        "mithril.ShapeError[E0202]: w: two dims differ\n"
        "  one side   : 64                      from linear.weight\n"
        "  other side : 3                       given by set_values({\"w\": float32[3, 4]})\n"
        "  known      : float tensor [64, ?1]   from linear.primitivelinear.weight\n"
        "  stated     : float32[3, 4]           given by set_values({\"w\": float32[3, 4]})");
}

TEST_CASE("a key described with another shape is refused") {
  Model model = linear();
  model.set_shapes({{"x", {3, 4}}});
  CHECK(refusal(model,
                [&] {
                  model |= Model::op("relu")({{"input", IOKey{.name = "x", .shape = {{5, 4}}}}});
                }) ==
        "mithril.ShapeError[E0202]: x: two dims differ\n"
        "  one side   : 3        given by set_shapes({\"x\": [3, 4]})\n"
        "  other side : 5        given by IOKey('x', shape=[5, 4])\n"
        "  known      : [3, 4]   given by set_shapes({\"x\": [3, 4]})\n"
        "  stated     : [5, 4]   given by IOKey('x', shape=[5, 4])");
}

TEST_CASE("an expression whose key has another shape is refused") {
  Model model = linear();
  model.set_shapes({{"x", {3, 4}}});
  const Connection x(IOKey{.name = "x", .shape = {{5, 4}}});
  CHECK(refusal(model,
                [&] {
                  model |= Model::op("relu")({{"input", x}});
                }) ==
        "mithril.ShapeError[E0202]: x: two dims differ\n"
        "  one side   : 3   given by set_shapes({\"x\": [3, 4]})\n"
        "  other side : 5   given by IOKey('x', shape=[5, 4])\n"
        "  x          : [3, 4]\n"
        "  joined by  : [5, 4]");
}

TEST_CASE("an expression of connections whose named dims differ is refused") {
  const auto key = [](const char* name, const ShapeSpec& shape) {
    return Connection(IOKey{.name = name, .shape = shape});
  };
  const Connection left = matmul(key("a", {2, 3}), key("b", {"N", 5}));
  const Connection right = matmul(key("c", {2, 4}), key("d", {"N", 5}));
  CHECK(text_of_error([&] { left + right; }) ==
        "mithril.ShapeError[E0202]: N: two dims differ\n"
        "  one side   : 3   given by IOKey('a', shape=[2, 3])\n"
        "  other side : 4   given by IOKey('c', shape=[2, 4])");
}

TEST_CASE("keys that cannot be merged are refused") {
  Model model = linear();
  model.set_shapes({{"x", {3, 4}}});
  CHECK(refusal(model,
                [&] {
                  model.merge_connections({"x", "w"});
                }) ==
        "mithril.ShapeError[E0202]: x: two dims differ\n"
        "  one side   : 3    given by set_shapes({\"x\": [3, 4]})\n"
        "  other side : 64   from linear.weight\n"
        "  x          : [3, 4]\n"
        "  w          : [64, 4]");
  CHECK(refusal(model,
                [&] {
                  model.expose_keys({{"w", model.at("x")}});
                }) ==
        "mithril.ShapeError[E0202]: w: two dims differ\n"
        "  one side   : 64   from linear.weight\n"
        "  other side : 3    given by set_shapes({\"x\": [3, 4]})\n"
        "  w          : [64, 4]\n"
        "  x          : [3, 4]");
  model = two_relus();
  model.set_types({{"a", kind::int_tensor}, {"b", kind::float_tensor}});
  CHECK(refusal(model,
                [&] {
                  model.merge_connections({"a", "b"});
                }) ==
        "mithril.TypeError[E0301]: a: types differ\n"
        "  one side   : int tensor     given by set_types({\"a\": int tensor})\n"
        "  other side : float tensor   given by set_types({\"b\": float tensor})\n"
        "  a          : int tensor\n"
        "  b          : float tensor");
}

TEST_CASE("values that cannot be merged are refused") {
  Model model = softmax();
  model |= Model::op("softmax")({{"input", "x"}, {"axis", "other"}});
  model.set_values({{"axis", 1}, {"other", 2}});
  CHECK(refusal(model,
                [&] {
                  model.merge_connections({"axis", "other"});
                }) ==
        "mithril.ValueError[E0401]: axis: values differ\n"
        "  one side   : 1   given by set_values({\"axis\": 1})\n"
        "  other side : 2   given by set_values({\"other\": 2})\n"
        "  axis       : 1\n"
        "  other      : 2");
}

TEST_CASE("a state that contradicts its initial value is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model.bind_state_keys("w", "y", Tensor(DType::float32, {2, 2}));
                }) ==
        "mithril.ShapeError[E0202]: w: two dims differ\n"
        "  one side   : 64   from linear.weight\n"
        "  other side : 2    given by bind_state_keys('w', 'y', float32[2, 2])\n"
        "  w          : [64, 64]\n"
        "  y          : [64, 64]");
}

TEST_CASE("a constraint that contradicts a known shape is refused") {
  Model model = linear();
  model.set_shapes({{"x", {3, 4}}});
  const auto five_rows = [](Solver& solver) {
    solver.set_shape("x", {Dim(5), Dim(4)});
    return true;
  };
  CHECK(refusal(model, [&] { model.add_constraint(five_rows, {"x"}); }) ==
        "mithril.ShapeError[E0202]: x: two dims differ\n"
        "  one side   : 3   given by set_shapes({\"x\": [3, 4]})\n"
        "  other side : 5\n"
        "  constraint : on x");
}

TEST_CASE("a binding that does not fit the port of a model is refused") {
  Model model = linear();
  CHECK(refusal(model,
                [&] {
                  model |= Linear({.dimension = 10})({{"input", "y"}, {"weight", "w"}});
                }) ==
        "mithril.ShapeError[E0202]: linear_1: port 'weight': two dims differ\n"
        "  one side    : 64         from linear.weight\n"
        "  other side  : 10         from linear_1.weight\n"
        "  port weight : [10, 64]\n"
        "  bound to    : [64, ?1]   on w");
}

TEST_CASE("a chained model that does not fit is refused") {
  Model layer;
  layer |= Model::op("relu")({{"input", "x"}, {"output", "y"}});
  layer.set_shapes({{"x", {3, 4}}});
  Model model = linear();
  CHECK(refusal(model, [&] { model += layer; }) ==
        "mithril.ShapeError[E0202]: model: port 'x': two dims differ\n"
        "  one side   : 64              from linear.weight\n"
        "  other side : 4               given by set_shapes({\"x\": [3, 4]})\n"
        "  port x     : [3, 4]\n"
        "  bound to   : [..., ?1, 64]   on y");
}

}  // namespace mithril
