// Numbers of parameters, operations and bytes.
#include "mithril/edit/cost.hpp"

#include <doctest/doctest.h>

#include "mithril/models/linear.hpp"
#include "mithril/models/ops/comparing_and_choosing.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/models/vmap.hpp"
#include "mithril/models/while.hpp"
#include "tests/errors/text_of_error.hpp"

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
  CHECK(count_parameters(net, {{"x", {5, 3}}}) == 8 * 3 + 8 + 4 * 8 + 4);
  CHECK_THROWS_WITH_AS(count_parameters(net), doctest::Contains("w"), ShapeError);
  net.set_shapes({{"x", {5, 3}}});
  CHECK(count_parameters(net) == 8 * 3 + 8 + 4 * 8 + 4);
}

TEST_CASE("a port that states a dtype has the bytes of that dtype") {
  const Connection x(IOKey{.name = "x", .shape = ShapeSpec{5, 4}, .type = DType::uint8});
  const Model model = Model::create({{"y", x.cast(DType::float32)}});
  CHECK(cost(model).total.bytes == 5 * 4 + 4 * 5 * 4);
}

TEST_CASE("ops of several products count them all") {
  const auto operations = [](Model op,
                             const std::vector<std::pair<std::string, ShapeSpec>>& sizes) {
    return cost(op, sizes).total.operations;
  };
  CHECK(operations(Model::op("scaled_dot_product"),
                   {{"query", {2, 5, 4}}, {"key", {2, 7, 4}}, {"value", {2, 7, 6}}}) ==
        2 * 2 * 5 * 7 * (4 + 6));
  Model product;
  product |= Model::op("einsum", {{"equation", "bij,bjk->bik"}})(
      {{"input", std::vector<Binding>{"a", "b"}}, {"output", "y"}});
  CHECK(operations(product, {{"a", {2, 3, 4}}, {"b", {2, 4, 5}}}) == 2 * 2 * 3 * 4 * 5);
}

TEST_CASE("an op counts an operation per element that it makes, a reduction per element it reads") {
  const auto cost_of_op = [](Model op,
                             const std::vector<std::pair<std::string, ShapeSpec>>& sizes) {
    return cost(op, sizes).total;
  };
  CHECK(cost_of_op(Model::op("add"), {{"left", {5, 4}}, {"right", {5, 4}}}).operations == 5 * 4);
  CHECK(cost_of_op(Model::op("divide"), {{"numerator", {5, 4}}, {"denominator", {5, 4}}})
            .operations == 5 * 4);
  for (const char* reduction : {"sum", "mean", "max", "prod", "argmax"}) {
    CAPTURE(reduction);
    CHECK(cost_of_op(Model::op(reduction), {{"input", {5, 4}}}).operations == 5 * 4);
  }
}

TEST_CASE("an op that takes elements reads no others") {
  Model rows, embedding;
  rows |= Model::op("gather")({{"input", "table"}, {"index", "i"}, {"output", "y"}});
  rows.set_types({{"i", kind::int_tensor}});
  CHECK(cost(rows, {{"table", {1000, 8}}, {"i", {5}}}).total.operations == 5 * 8);
  CHECK(cost(rows, {{"table", {1000, 8}}, {"i", {5}}}).total.bytes == 2 * 4 * 5 * 8 + 8 * 5);
  embedding |= Model::op("embedding")({{"input", "i"}, {"weight", "table"}, {"output", "y"}});
  CHECK(cost(embedding, {{"table", {1000, 8}}, {"i", {5}}}).total.bytes == 2 * 4 * 5 * 8 + 8 * 5);
}

TEST_CASE("parts that do more than is counted are listed") {
  Model net;
  net |= vmap(Tanh(), {.in_axes = {{"input", 0}}}).named("each")({{"input", "x"}, {"output", "y"}});
  CHECK(cost(net, {{"x", {5, 4}}}).uncounted == std::vector<std::string>{"each"});
}

TEST_CASE("the body of a loop counts once per step") {
  Model body;
  body |= Linear({.dimension = 4}).named("fc")({{"input", "h"}, {"output", "next"}});
  Model loop = Scan(body, {.carry = {{"h", "next"}}, .length = Binding(6)});
  Model net;
  net |= loop.named("loop")({{"h", "x"}, {"h_last", "y"}});
  const ModelCost found = cost(net, {{"x", {5, 4}}});
  CHECK(found.total.operations >= 6 * 2 * 5 * 4 * 4);
  CHECK(found.total.operations < 7 * 2 * 5 * 4 * 4);
  CHECK(found.uncounted.empty());
}

TEST_CASE("a loop that a condition ends has no cost without its most steps") {
  const auto loop = [](std::optional<int64_t> most) {
    Model condition, body;
    condition |= Max()({{"input", "h"}, {"output", "largest"}});
    condition |= Greater()({{"left", "largest"}, {"right", 1.0}, {"output", "goes_on"}});
    condition.expose_keys({"goes_on"});
    body |= Sine()({{"input", "h"}, {"output", "next"}});
    return While(condition, body, {.carry = {{"h", "next"}}, .max_steps = most});
  };
  const std::string help =
      ": a condition ends the loop, so its number of steps is not known\n"
      "  help: give the most steps: max_steps of While";
  CHECK(text_of_error([&] {
          cost(loop({}), {{"h", {4}}});
        }) == "mithril.ShapeError[E0209]: h_last" + help);
  Model net;
  net |= loop({})({{"h", "x"}, {"h_last", "y"}});
  CHECK(text_of_error([&] { cost(net, {{"x", {4}}}); }) == "mithril.ShapeError[E0209]: y" + help);
  CHECK(cost(loop(6), {{"h", {4}}}).total.operations >= 6 * 4);
}

TEST_CASE("a count that 64 bits cannot hold is refused") {
  Model net;
  net |= Tanh()({{"input", "x"}, {"output", "y"}});
  const std::string expected =
      "mithril.ShapeError[E0205]: a count of elements, operations or bytes is too large for 64 "
      "bits\n"
      "  help: give smaller sizes in shapes";
  CHECK(text_of_error([&] { cost(net, {{"x", {4'000'000'000, 4'000'000'000}}}); }) == expected);
  // 64 bits can count these elements, and not their bytes.
  CHECK(text_of_error([&] { cost(net, {{"x", {3'000'000'000, 1'000'000'000}}}); }) == expected);
}

}  // namespace mithril::tests
