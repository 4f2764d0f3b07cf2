// Shape inference of ops that move elements: from the output to the inputs, and with symbols.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril::tests {
namespace {

using Shapes = std::vector<std::pair<std::string, ShapeSpec>>;

// A model of one op, its ports named as they are, in which these shapes hold.
Model model_of(const std::string& op, Arguments arguments, const Shapes& shapes) {
  Model model;
  model |= Model::op(op, std::move(arguments))({{"input", "input"}, {"output", "output"}});
  model.set_shapes(shapes);
  return model;
}

Model joined(Arguments arguments, const Shapes& shapes) {
  Model model;
  model |= Model::op("concat", std::move(arguments))(
      {{"input", {Binding("a"), Binding("b")}}, {"output", "output"}});
  model.set_shapes(shapes);
  return model;
}

Datum axes(const std::vector<int64_t>& numbers) { return Datum::ints(numbers); }

}  // namespace

TEST_CASE("transpose infers the shape of its input from its output") {
  const Model model = model_of("transpose", {{"axes", axes({2, 0, 1})}}, {{"output", {2, 3, "H"}}});
  CHECK(to_string(model.shape("input")) == "[3, H, 2]");
  CHECK(to_string(model_of("transpose", {}, {{"output", {2, 3}}}).shape("input")) == "[3, 2]");
  CHECK(to_string(model_of("swapaxes", {}, {{"output", {2, 3}}}).shape("input")) == "[3, 2]");
}

TEST_CASE("reshape infers the size of its input from its output") {
  CHECK(to_string(model_of("squeeze", {{"axis", 1}}, {{"output", {2, 3}}}).shape("input")) ==
        "[2, 1, 3]");
  CHECK(to_string(model_of("expand_dims", {{"axis", -1}}, {{"output", {2, 1}}}).shape("input")) ==
        "[2]");
  CHECK(to_string(
            model_of("flatten", {}, {{"input", {2, any, 5}}, {"output", {30}}}).shape("input")) ==
        "[2, 3, 5]");
  CHECK(to_string(
            model_of("reshape", {{"shape", axes({3, 4})}}, {{"input", {2, any}}}).shape("input")) ==
        "[2, 6]");
  CHECK(to_string(model_of("reshape", {{"shape", axes({-1, 4})}},
                           {{"input", {any}}, {"output", {3, any}}})
                      .shape("input")) == "[12]");
}

TEST_CASE("repeat_interleave infers dims of its output before it knows its repeats") {
  const auto repeated = [](Arguments arguments, const Shapes& shapes) {
    return model_of("repeat_interleave", std::move(arguments), shapes);
  };
  CHECK_THROWS_AS(repeated({}, {{"output", {3, "M", "N"}}}), ShapeError);
  CHECK_THROWS_AS(repeated({}, {{"input", {2, 3}}, {"output", {2, any}}}), ShapeError);
  CHECK_THROWS_AS(repeated({{"axis", 1}}, {{"input", {2, 3}}, {"output", {5, any}}}), ShapeError);
  const Model model = repeated({{"axis", 1}}, {{"input", {2, 3}}, {"output", {any, 7}}});
  CHECK(to_string(model.shape("output")) == "[2, 7]");
}

TEST_CASE("a reshape keeps the symbols of its input") {
  CHECK(to_string(model_of("reshape", {{"shape", axes({-1, 6})}}, {{"input", {"N", 2, 3}}})
                      .shape("output")) == "[N, 6]");
  CHECK(to_string(
            model_of("flatten", {{"start_dim", 1}}, {{"input", {"N", 2, 3}}}).shape("output")) ==
        "[N, 6]");
  Model model;
  model["input"];
  model.set_shapes({{"input", {"N", "C", "H"}}});
  const Connection x = model["input"];
  CHECK(to_string(x.reshape({x.shape()[0], Binding(-1)}).known_shape()) == "[N, C*H]");
}

TEST_CASE("sizes of concatenated tensors add up, whichever sizes are known") {
  CHECK(to_string(joined({}, {{"a", {"N", 3}}, {"b", {"M", any}}}).shape("output")) ==
        "[N + M, 3]");
  CHECK(to_string(joined({}, {{"a", {2, 3}}, {"output", {6, any}}}).shape("b")) == "[4, 3]");
  CHECK(to_string(joined({{"axis", -1}}, {{"a", {"N", 3}}, {"output", {any, 8}}}).shape("b")) ==
        "[N, 5]");
}

TEST_CASE("a slice whose size does not depend on the input has a known size") {
  const Arguments without_first = {{"starts", Tuple{1}}, {"stops", Tuple{None{}}}};
  CHECK(to_string(joined({}, {{"a", {"N"}}, {"b", {1}}}).shape("output")) == "[N + 1]");
  Model model = joined({}, {{"a", {"N"}}, {"b", {1}}});
  CHECK(to_string(Connection(model["output"])[slice(1, none)].known_shape()) == "[N]");
  CHECK(to_string(Connection(model["output"])[slice(none, none, -1)].known_shape()) == "[N + 1]");
  CHECK(to_string(
            model_of("slice", without_first, {{"input", {"N"}}, {"output", {4}}}).shape("input")) ==
        "[5]");
}

TEST_CASE("slices up to and from a multiple of a number have known sizes") {
  Model model;
  model["x"];
  model.set_shapes({{"x", {"N"}}});
  const Connection x = model["x"], whole = floor_divide(x.shape()[0], 4) * 4;
  CHECK(to_string(x[slice(none, whole)].known_shape()) == "[4*(N//4)]");
  CHECK(to_string(x[slice(whole, none)].known_shape()) == "[N - 4*(N//4)]");
  const std::string open = to_string(x[slice(none, whole + 1)].known_shape());
  CHECK(open.find('N') == std::string::npos);  // N may be below it
}

TEST_CASE("a slice that may reach past the end waits for the size") {
  const Arguments without_first = {{"starts", Tuple{1}}, {"stops", Tuple{None{}}}};
  Model model = model_of("slice", without_first, {{"input", {"N"}}});
  const std::string open = to_string(model.shape("output"));
  CHECK(open != "[N - 1]");  // it is 0 for no elements
  model.set_shapes({{"input", {0}}});
  CHECK(to_string(model.shape("output")) == "[0]");
  model = model_of("slice", without_first, {{"input", {"N"}}});
  model.set_shapes({{"input", {5}}});
  CHECK(to_string(model.shape("output")) == "[4]");
}

TEST_CASE("an index takes dims out of shapes and tensors") {
  Model model;
  model["x"];
  model.set_shapes({{"x", {"N", 3, 4}}});
  const Connection x = model["x"];
  CHECK(to_string(x.at({Binding(ellipsis), Binding(none), Binding(0)}).known_shape()) ==
        "[N, 3, 1]");
  CHECK(to_string(x[-1].known_shape()) == "[3, 4]");
  const Connection flat = x.reshape({x.shape()[0], x.shape()[1] * x.shape()[2]});
  CHECK(to_string(flat.known_shape()) == "[N, 12]");
}

}  // namespace mithril::tests
