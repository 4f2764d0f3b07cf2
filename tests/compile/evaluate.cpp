// Compiling a model and running it: outputs, gradients, sizes, widths, state.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

Tensor floats(Dims dims, const std::vector<float>& values) {
  return Tensor::of<float>(std::move(dims), values);
}

// output = x * w + b, with data x.
Model scaling() {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "scaled"}});
  model |= Model::op("add")({{"left", "scaled"}, {"right", "b"}, {"output", "y"}});
  model.expose_keys({"y"});
  return model;
}

const TensorMap scaling_params = {{"w", floats({2}, {2, 3})}, {"b", floats({}, {1})}};

}  // namespace

TEST_CASE("a compiled model evaluates the composed model") {
  const CompiledModel compiled = ml::compile(scaling(), ml::cpu());
  const TensorMap out = compiled.evaluate(scaling_params, {{"x", floats({2, 2}, {1, 2, 3, 4})}});
  CHECK(out.keys() == std::vector<std::string>{"y"});
  CHECK(identical(out.at("y"), floats({2, 2}, {3, 7, 7, 13})));
}

TEST_CASE("gradients have the keys and shapes of the parameters") {
  const CompiledModel compiled = ml::compile(scaling(), ml::cpu());
  const auto [out, gradients] =
      compiled.evaluate(scaling_params, {{"x", floats({2, 2}, {1, 2, 3, 4})}},
                        {{"y", floats({2, 2}, {1, 1, 1, 10})}});
  CHECK(identical(out.at("y"), floats({2, 2}, {3, 7, 7, 13})));
  CHECK(gradients.keys() == compiled.parameter_keys());
  CHECK(identical(gradients.at("w"), floats({2}, {4, 42})));
  CHECK(identical(gradients.at("b"), floats({}, {13})));
}

TEST_CASE("one compiled model runs every batch size") {
  const CompiledModel compiled = ml::compile(scaling(), ml::cpu(), {.shapes = {{"x", {"N", 2}}}});
  for (const int64_t batch : {7, 0, 1, 32, 7}) {
    const auto [out, gradients] =
        compiled.evaluate(scaling_params, {{"x", Tensor::full(DType::float32, {batch, 2}, 1)}},
                          {{"y", Tensor::full(DType::float32, {batch, 2}, 1)}});
    CHECK(identical(out.at("y"), Tensor::full(DType::float32, {batch, 2}, 1).to(DType::float32)) ==
          (batch == 0));
    CHECK(gradients.at("b").item() == 2 * batch);
  }
}

TEST_CASE("the gradient of the cost needs no other gradient") {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "final_cost"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu(), {.shapes = {{"x", {}}, {"w", {}}}});
  const auto [out, gradients] =
      compiled.evaluate({{"w", floats({}, {5})}}, {{"x", floats({}, {3})}}, ml::of_cost);
  CHECK(out.at("final_cost").item() == 15);
  CHECK(gradients.at("w").item() == 3);
}

TEST_CASE("an output without an incoming gradient counts as zero") {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "a"}});
  model |= Model::op("add")({{"left", "x"}, {"right", "w"}, {"output", "b"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu());
  const TensorMap params = {{"w", floats({1}, {5})}};
  const TensorMap data = {{"x", floats({1}, {3})}};
  const auto only_a = compiled.evaluate(params, data, {{"a", floats({1}, {1})}}).second;
  const auto only_b = compiled.evaluate(params, data, {{"b", floats({1}, {1})}}).second;
  const auto both =
      compiled.evaluate(params, data, {{"b", floats({1}, {10})}, {"a", floats({1}, {1})}}).second;
  CHECK(only_a.at("w").item() == 3);
  CHECK(only_b.at("w").item() == 1);
  CHECK(both.at("w").item() == 13);
}

TEST_CASE("a parameter that no output depends on has a gradient of zeros") {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "a"}});
  model |= Model::op("add")({{"left", "x"}, {"right", "v"}, {"output", "b"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu());
  const TensorMap one = {{"w", floats({2}, {1, 1})}, {"v", floats({2}, {1, 1})}};
  const auto gradients =
      compiled.evaluate(one, {{"x", floats({2}, {3, 4})}}, {{"a", floats({2}, {1, 1})}}).second;
  CHECK(identical(gradients.at("v"), floats({2}, {0, 0})));
}

TEST_CASE("floats and integers are converted to the width of the model") {
  const CompiledModel compiled = ml::compile(scaling(), ml::cpu());
  const TensorMap out =
      compiled.evaluate({{"w", Tensor::of<double>({2}, {2, 3})}, {"b", Tensor::scalar(1.0)}},
                        {{"x", Tensor::of<double>({2}, {1, 1})}});
  CHECK(identical(out.at("y"), floats({2}, {3, 4})));
}

TEST_CASE("the backend decides the width") {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const CompiledModel compiled = ml::compile(scaling(), ml::cpu({.dtype = dtype}));
    const TensorMap out = compiled.evaluate(scaling_params, {{"x", floats({2}, {1, 1})}});
    CHECK(out.at("y").dtype() == dtype);
    CHECK(identical(out.at("y").to(DType::float32), floats({2}, {3, 4})));
  }
}

TEST_CASE("integers and bools are data") {
  Model model;
  model |= Model::op("add")({{"left", "i"}, {"right", "j"}, {"output", "sum"}});
  model |= Model::op("greater")({{"left", "sum"}, {"right", 3}, {"output", "large"}});
  const Kinds integers = kind::int_tensor;
  const CompiledModel compiled =
      ml::compile(model, ml::cpu(), {.types = {{"i", integers}, {"j", integers}}});
  CHECK(compiled.data_keys() == std::vector<std::string>{"i", "j"});
  const TensorMap out = compiled.evaluate(
      {}, {{"i", Tensor::of<int32_t>({2}, {1, 2})}, {"j", Tensor::of<int64_t>({2}, {2, 2})}});
  CHECK(identical(out.at("sum"), Tensor::of<int64_t>({2}, {3, 4})));
  CHECK(identical(out.at("large"), Tensor::of<bool>({2}, {false, true})));
}

TEST_CASE("a model of one op compiles") {
  const CompiledModel compiled = ml::compile(Model::op("relu"), ml::cpu());
  CHECK(compiled.data_keys() == std::vector<std::string>{"input"});
  const TensorMap out = compiled.evaluate({}, {{"input", floats({3}, {-1, 0, 2})}});
  CHECK(identical(out.at("output"), floats({3}, {0, 0, 2})));
}

TEST_CASE("compiling does not change the model") {
  Model model = scaling();
  const auto before = model.get_shapes();
  ml::compile(model, ml::cpu(), {.shapes = {{"x", {4, 2}}}});
  CHECK(model.get_shapes() == before);
  const CompiledModel other = ml::compile(model, ml::cpu(), {.shapes = {{"x", {5, 3}}}});
  CHECK(to_string(other.shapes().at(0).second) == "[5, 3]");
  model |= Model::op("relu")({{"input", "y"}, {"output", "z"}});
  CHECK(model.output_keys().size() == 1);
}

TEST_CASE("a constant is folded and is not an input") {
  const CompiledModel compiled =
      ml::compile(scaling(), ml::cpu(), {.constant_keys = {{"w", floats({2}, {2, 3})}}});
  CHECK(compiled.input_keys() == std::vector<std::string>{"x", "b"});
  const TensorMap out = compiled.evaluate({{"b", floats({}, {1})}}, {{"x", floats({2}, {1, 1})}});
  CHECK(identical(out.at("y"), floats({2}, {3, 4})));
}

TEST_CASE("discarded outputs are removed with the nodes that only they need") {
  Model model;
  model |= Model::op("multiply")({{"left", "x"}, {"right", "w"}, {"output", "a"}});
  model |= Model::op("add")({{"left", "x"}, {"right", "v"}, {"output", "b"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu(), {.discard_keys = {"b"}});
  CHECK(compiled.output_keys() == std::vector<std::string>{"a"});
  CHECK(compiled.input_keys() == std::vector<std::string>{"x", "w"});
  const TensorMap out = compiled.evaluate({{"w", floats({1}, {5})}}, {{"x", floats({1}, {3})}});
  CHECK(out.at("a").item() == 15);
}

TEST_CASE("a state starts with its initial value and is passed from one evaluation to the next") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "total"}, {"output", "sum"}});
  model.bind_state_keys("total", "sum", floats({2}, {10, 20}));
  model |= Model::op("multiply")({{"left", "sum"}, {"right", "w"}, {"output", "y"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu());
  CHECK(compiled.input_keys() == std::vector<std::string>{"x", "w"});
  CHECK(compiled.output_keys() == std::vector<std::string>{"y"});
  const TensorMap params = {{"w", floats({2}, {1, 2})}};
  const TensorMap data = {{"x", floats({2}, {1, 1})}};

  const auto [first, after_first] = compiled.evaluate(params, data, compiled.initial_state_dict());
  CHECK(identical(first.at("y"), floats({2}, {11, 42})));
  CHECK(after_first.keys() == std::vector<std::string>{"total"});
  const auto [second, gradients, after_second] =
      compiled.evaluate(params, data, {{"y", floats({2}, {1, 1})}}, after_first);
  CHECK(identical(second.at("y"), floats({2}, {12, 44})));
  CHECK(identical(gradients.at("w"), floats({2}, {12, 22})));
  CHECK(identical(after_second.at("total"), floats({2}, {12, 22})));
}

TEST_CASE("sizes are left to the backend without safe shapes") {
  const CompiledModel compiled =
      ml::compile(scaling(), ml::cpu(), {.shapes = {{"x", {2}}, {"w", {2}}}, .safe_shapes = false});
  CHECK(compiled.evaluate(scaling_params, {{"x", floats({2}, {1, 1})}}).at("y").size() == 2);
  CHECK_THROWS_AS(compiled.evaluate(scaling_params, {{"x", floats({3}, {1, 1, 1})}}), InputError);
}

TEST_CASE("every optimization level gives the same results") {
  for (const char* level : {"none", "standard", "max"}) {
    const CompiledModel compiled = ml::compile(
        scaling(), ml::cpu(), {.optimization_level = ml::optimization_level_named(level)});
    const auto [out, gradients] = compiled.evaluate(scaling_params, {{"x", floats({2}, {1, 2})}},
                                                    {{"y", floats({2}, {1, 1})}});
    CHECK(identical(out.at("y"), floats({2}, {3, 7})));
    CHECK(identical(gradients.at("w"), floats({2}, {1, 2})));
  }
}

TEST_CASE("gradients do not share their elements") {
  Model model;
  model |= Model::op("add")({{"left", "a"}, {"right", "b"}, {"output", "y"}});
  const CompiledModel compiled = ml::compile(model, ml::cpu(), {.trainable_keys = {"a", "b"}});
  const TensorMap params = {{"a", floats({2}, {1, 2})}, {"b", floats({2}, {3, 4})}};
  const Tensor given = floats({2}, {5, 6});
  const auto [out, gradients] = compiled.evaluate(params, {}, {{"y", given}});
  CHECK(identical(gradients.at("a"), given));
  CHECK(identical(gradients.at("b"), given));
  CHECK(gradients.at("a").raw_data() != given.raw_data());
  CHECK(gradients.at("a").raw_data() != gradients.at("b").raw_data());
}

}  // namespace mithril
