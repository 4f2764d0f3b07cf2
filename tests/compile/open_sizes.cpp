// Numbers computed from open sizes: floats, bools, and ints that dims cannot
// express.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril {
namespace {

// The output for the rows 1, 2, ... of two elements, on the CPU backend or the reference.
std::vector<double> of_rows(const Model& model, int64_t rows, bool reference = false) {
  const auto backend = cpu({.reference = reference});
  const CompiledModel compiled = compile(model, backend, {.shapes = {{"x", {"N", 2}}}});
  Tensor input = Tensor::empty(DType::float32, {rows, 2});
  for (int64_t i = 0; i < 2 * rows; ++i)
    input.mutable_data<float>()[i] = static_cast<float>(i / 2 + 1);
  const Tensor y = compiled.evaluate({}, {{"x", input}}).at("y");
  std::vector<double> elements;
  for (int64_t i = 0; i < y.size(); ++i) elements.push_back(y.at_as_double(i));
  return elements;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("floats are computed from a size that is unknown while compiling") {
  const Connection x("x");
  const Model model = Model::create({{"y", x / pow(x.shape()[0], 0.5)}});
  CHECK(of_rows(model, 1) == Numbers{1, 1});
  CHECK(of_rows(model, 4) == Numbers{0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2});
  CHECK(of_rows(model, 4, true) == of_rows(model, 4));
}

TEST_CASE("bools and ints that dims cannot express are computed from an unknown size") {
  const Connection x("x");
  const Connection rows = x.shape()[0];
  const Model model =
      Model::create({{"y", x * (rows > 2) * apply("minimum", {rows, 3}) + (rows / 2 - 0.5) * 0.5}});
  CHECK(of_rows(model, 1) == Numbers{0, 0});
  CHECK(of_rows(model, 3) == Numbers{3.5, 3.5, 6.5, 6.5, 9.5, 9.5});
  CHECK(of_rows(model, 4) == Numbers{3.75, 3.75, 6.75, 6.75, 9.75, 9.75, 12.75, 12.75});
}

TEST_CASE("a number computed from an unknown size can be an output") {
  const Connection x("x");
  const Connection rows = x.shape()[0];
  const Model model =
      Model::create({{"y", pow(rows, 0.5).tensor()}, {"large", (rows > 5).tensor()}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {"N"}}}});
  const TensorMap small = compiled.evaluate({}, {{"x", Tensor(DType::float32, {4})}});
  CHECK(small.at("y").item() == 2);
  CHECK(small.at("large").dtype() == DType::boolean);
  CHECK(small.at("large").item() == 0);
  CHECK(compiled.evaluate({}, {{"x", Tensor(DType::float32, {9})}}).at("large").item() == 1);
}

TEST_CASE("a number computed from an unknown size has the width of the other operand") {
  const Connection x("x");
  const Connection half = x.cast(DType::float16);
  const Model model = Model::create({{"y", half * pow(x.shape()[0], 0.5)}});
  const CompiledModel compiled = compile(model, cpu(), {.shapes = {{"x", {"N"}}}});
  CHECK(compiled.evaluate({}, {{"x", Tensor(DType::float32, {4})}}).at("y").dtype() ==
        DType::float16);
}

TEST_CASE("gradients flow past a number computed from an unknown size") {
  const Connection x("x");
  const Connection w("w");
  const Model model = Model::create({{"y", (x * w / pow(x.shape()[0], 0.5)).sum()}});
  const CompiledModel compiled =
      compile(model, cpu(), {.shapes = {{"x", {"N"}}, {"w", {}}}, .data_keys = {"x"}});
  const auto [out, gradients] = compiled.evaluate(
      {{"w", Tensor::scalar(3.0F)}}, {{"x", Tensor::full(DType::float32, {4}, 2)}}, of_cost);
  CHECK(out.at("y").item() == 12);
  CHECK(gradients.at("w").item() == 4);
}

TEST_CASE("a value port requires a number that is known while compiling") {
  const Connection x("x");
  const Model model = Model::create({{"y", apply("leaky_relu", {x, pow(x.shape()[0], 0.5)})}});
  try {
    compile(model, cpu(), {.shapes = {{"x", {"N"}}}});
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.code() == "E0403");
  }
}

TEST_CASE("a state of unknown rank starts as the number itself") {
  Model model;
  model |= Model::op("add")({{"left", "count"}, {"right", 1.0}, {"output", "next"}});
  model |= Model::op("buffer")({{"input", "next"}, {"output", "y"}});
  model.bind_state_keys("count", "next", Tensor::scalar(2.0F));
  const CompiledModel compiled = compile(model, cpu());
  const auto [first, state] = compiled.evaluate({}, {}, compiled.initial_state_dict());
  CHECK(first.at("y").item() == 3);
  CHECK(state.at("count").item() == 3);
  const auto [second, last] = compiled.evaluate({}, {}, state);
  CHECK(second.at("y").item() == 4);
}

}  // namespace mithril
