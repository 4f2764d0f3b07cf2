// Shapes as values: Model::shape, Model::get_shapes and Connection::known_shape.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril::tests {

TEST_CASE("a shape is indexed and compared") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "y"}, {"output", "z"}});
  model.set_shapes({{"x", {"N", 3, any}}, {"y", {1, 3, 4}}});
  const KnownShape x = model.shape("x"), z = model.shape("z");
  CHECK(x.rank() == 3);
  CHECK(x[0] == "N");
  CHECK(x[1] == 3);
  CHECK(x[1].number() == 3);
  CHECK(!x[0].number());
  CHECK(x[0].has_name());
  CHECK(!x[-1].has_name());
  CHECK(z == KnownShape{"N", 3, 4});
  CHECK(z != KnownShape{"N", 3, 5});
  CHECK(z != KnownShape{"N", 3});
  CHECK(to_string(z) == "[N, 3, 4]");
  CHECK(Connection(model["z"]).known_shape() == z);
}

TEST_CASE("a shape of unknown rank is indexed from both ends") {
  Model model;
  model["x"];
  model.set_shapes({{"x", {2, rest(), "C", 5}}});
  const KnownShape x = model.shape("x");
  CHECK(!x.rank());
  CHECK(x[0] == 2);
  CHECK(x[-1] == 5);
  CHECK(x[-2] == "C");
  CHECK(x == KnownShape({2}, {"C", 5}));
  CHECK(x != KnownShape{2, "C", 5});
  CHECK(text_of_error([&] { x[1]; }) ==
        "mithril.ValueError[E0472]: the shape [2, ..., C, 5] has no known axis 1");
}

TEST_CASE("sizes without a name are equal where they are the same size") {
  Model model;
  model |= Model::op("relu")({{"input", "x"}, {"output", "y"}});
  model["other"];
  model.set_shapes({{"x", {any}}, {"other", {any}}});
  auto shapes = model.get_shapes();
  CHECK(shapes.at("x") == shapes.at("y"));
}

TEST_CASE("a value has no shape") {
  Model model;
  model |= Model::op("softmax")({{"input", "x"}, {"axis", "axis"}, {"output", "y"}});
  CHECK(text_of_error([&] { model.shape("axis"); }) ==
        "mithril.TypeError[E0371]: 'axis' holds a value, which has no shape");
  CHECK(!model.get_shapes().contains("axis"));
}

TEST_CASE("a compiled model has shapes of its own") {
  const auto compiled = compile(Relu(), cpu(), {.shapes = {{"input", {"N", any, 3}}}});
  const auto shapes = compiled.shapes();
  REQUIRE(shapes.size() == 2);
  for (const auto& input_or_output : shapes) {
    const KnownShape& shape = input_or_output.second;
    CHECK(shape[0] == "N");
    CHECK(!shape[1].has_name());
    CHECK(shape[2] == 3);
  }
}

}  // namespace mithril::tests
