// The errors of evaluating a compiled model, as text.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/model/composite.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

Model product_of_two() {
  Model model;
  model |= Model::op("multiply")({{"left", "image"}, {"right", "weight"}, {"output", "logits"}});
  return model;
}

const CompiledModel& compiled() {
  static const CompiledModel model =
      compile(product_of_two(), cpu(), {.shapes = {{"image", {"N", 2}}, {"weight", {2}}}});
  return model;
}

const TensorMap params = {{"weight", Tensor::of<float>({2}, {1, 2})}};
const TensorMap data = {{"image", Tensor::of<float>({1, 2}, {3, 4})}};

std::string evaluate_error(const TensorMap& params, const TensorMap& data) {
  return text_of_error([&] { compiled().evaluate(params, data); });
}

}  // namespace

TEST_CASE("missing keys are listed") {
  CHECK(evaluate_error(params, {}) ==
        "mithril.InputError[E0801]: data lacks image\n"
        "  expected   : image\n"
        "  got        : none\n"
        "  needed for : logits");
}

TEST_CASE("an unknown key gives the nearest") {
  CHECK(evaluate_error(params, {{"imgae", data.at("image")}}) ==
        "mithril.InputError[E0802]: there is no data input 'imgae'\n"
        "  known : image\n"
        "  help: did you mean 'image'?");
}

TEST_CASE("an error about a key in the wrong map names the right map") {
  CHECK(evaluate_error({{"weight", params.at("weight")}, {"image", data.at("image")}}, {}) ==
        "mithril.InputError[E0806]: 'image' is in params, but is a data input\n"
        "  help: give it in data");
  CHECK(evaluate_error({}, {{"weight", params.at("weight")}, {"image", data.at("image")}}) ==
        "mithril.InputError[E0806]: 'weight' is in data, but is a parameter\n"
        "  help: give it in params, or name 'weight' in data_keys when compiling, if it is data");
}

TEST_CASE("a wrong rank is refused") {
  CHECK(evaluate_error(params, {{"image", Tensor(DType::float32, {2})}}) ==
        "mithril.InputError[E0803]: 'image' has rank 1, expected 2\n"
        "  expected : [N, 2]\n"
        "  got      : [2]");
}

TEST_CASE("a wrong dim is refused") {
  CHECK(evaluate_error(params, {{"image", Tensor(DType::float32, {5, 3})}}) ==
        "mithril.InputError[E0804]: 'image' has 3 in dim 1, expected 2\n"
        "  expected : [N, 2]\n"
        "  got      : [5, 3]");
}

TEST_CASE("a model can replace the advice about its fixed sizes") {
  Model inner;
  inner |= Model::op("relu")({{"input", "image"}, {"output", "y"}});
  inner.set_shapes({{"image", {"N", 2}}});
  inner.composite()->size_advice = "the example fixed it";
  Model outer;
  outer |= inner({{"image", "image"}, {"y", "y"}});
  const CompiledModel made = compile(outer, cpu(), {.data_keys = {"image"}});
  CHECK(text_of_error([&] {
          made.evaluate({}, {{"image", Tensor(DType::float32, {5, 3})}});
        }) ==
        "mithril.InputError[E0804]: 'image' has 3 in dim 1, expected 2\n"
        "  expected : [N, 2]\n"
        "  got      : [5, 3]\n"
        "  help: the example fixed it");
}

TEST_CASE("a size that two inputs share is checked") {
  Model model;
  model |= Model::op("add")({{"left", "a"}, {"right", "b"}, {"output", "sum"}});
  const CompiledModel sum = compile(model, cpu(), {.shapes = {{"a", {"N"}}, {"b", {"N"}}}});
  CHECK(text_of_error([&] {
          sum.evaluate({{"b", Tensor(DType::float32, {4})}}, {{"a", Tensor(DType::float32, {3})}});
        }) ==
        "mithril.InputError[E0804]: 'b' has 4 in dim 0, expected N = 3\n"
        "  expected : [N]\n"
        "  got      : [4]\n"
        "  help: 'a' has 3 in dim 0, and sizes of one name must be equal");
}

TEST_CASE("sizes that do not meet in the middle of a model name the connection and both sizes") {
  Model block("block");
  block |= Model::op("add")({{"left", "a"}, {"right", "b"}, {"output", "sum"}});
  Model model;
  model |= block({{"a", "x"}, {"b", "y"}, {"sum", "both"}});
  const CompiledModel sum = compile(model, cpu(), {.shapes = {{"x", {"N"}}, {"y", {"M"}}}});
  CHECK(text_of_error([&] {
          sum.evaluate({{"y", Tensor(DType::float32, {4})}}, {{"x", Tensor(DType::float32, {3})}});
        }) ==
        "mithril.ShapeError[E0203]: both: add: two dims do not broadcast\n"
        "  one side   : 3\n"
        "  other side : 4\n"
        "  left       : [3]     pattern \"*a\"\n"
        "  right      : [4]     pattern \"*b\"\n"
        "  output     : [...]   on output, pattern \"*o\"");
}

TEST_CASE("an input of another kind of dtype is refused") {
  CHECK(evaluate_error(params, {{"image", Tensor(DType::int64, {1, 2})}}) ==
        "mithril.InputError[E0805]: 'image' is int64, expected float32\n"
        "  help: floats and integers are converted to the width of the model, but not to each "
        "other");
}

TEST_CASE("a bool input takes integers that are 0 or 1") {
  Model model;
  model |= Model::op("logical_not")({{"input", "mask"}, {"output", "y"}});
  const CompiledModel inverted = compile(model, cpu());
  const auto answer = [&](const Tensor& mask) { return inverted.evaluate({}, {{"mask", mask}}); };
  const Tensor expected = Tensor::of<bool>({3}, {false, true, false});
  CHECK(identical(answer(Tensor::of<int64_t>({3}, {1, 0, 1})).at("y"), expected));
  CHECK(identical(answer(Tensor::of<int32_t>({3}, {1, 0, 1})).at("y"), expected));
  CHECK(identical(answer(Tensor::of<uint8_t>({3}, {1, 0, 1})).at("y"), expected));
  CHECK(text_of_error([&] {
          answer(Tensor::of<int64_t>({3}, {1, 0, -4}));
        }) ==
        "mithril.InputError[E0805]: 'mask' has -4, expected 0 or 1\n"
        "  help: a bool input takes bools, and integers that are 0 or 1");
  CHECK(text_of_error([&] {
          answer(Tensor::of<float>({1}, {1}));
        }).starts_with("mithril.InputError[E0805]: 'mask' is float32, expected bool"));
}

TEST_CASE("a gradient for a name that is not an output is refused") {
  CHECK(text_of_error([] {
          compiled().evaluate(params, data, {{"logit", data.at("image")}});
        }) ==
        "mithril.InputError[E0807]: there is no output 'logit'\n"
        "  known : logits\n"
        "  help: did you mean 'logits'?");
}

TEST_CASE("a gradient of other dims than its output is refused") {
  CHECK(text_of_error([] {
          compiled().evaluate(params, data, {{"logits", Tensor(DType::float32, {2, 2})}});
        }) ==
        "mithril.InputError[E0804]: the gradient of 'logits' has 2 in dim 0, expected N = 1\n"
        "  expected : [N, 2]\n"
        "  got      : [2, 2]\n"
        "  help: 'image' has 1 in dim 0, and sizes of one name must be equal");
}

TEST_CASE("without a cost there is no gradient of it") {
  CHECK(text_of_error([] { compiled().evaluate(params, data, of_cost); }) ==
        "mithril.InputError[E0808]: there is no output to take the gradients of: expected a scalar "
        "final_cost, or one output that is a scalar\n"
        "  outputs : logits\n"
        "  help: give the gradients that come in at the outputs");
}

TEST_CASE("a model compiled for inference has no gradients") {
  const CompiledModel model = compile(product_of_two(), cpu(), {.inference = true});
  CHECK(text_of_error([&] {
          model.evaluate(params, data, {{"logits", data.at("image")}});
        }) ==
        "mithril.GradientError[E0505]: the model was compiled for inference: it has no gradients");
}

TEST_CASE("the gradient of integers is refused when it is asked for") {
  Model model;
  model |= Model::op("greater")({{"left", "x"}, {"right", "w"}, {"output", "larger"}});
  const CompiledModel larger = compile(model, cpu());
  const Tensor one = Tensor::of<float>({1}, {1});
  const std::string text = text_of_error([&] {
    larger.evaluate({{"w", one}}, {{"x", one}}, {{"larger", Tensor::of<bool>({1}, {true})}});
  });
  CHECK(text.find("mithril.GradientError[E0502]") == 0);
}

TEST_CASE("a parameter of unknown size cannot be initialised") {
  const CompiledModel model = compile(product_of_two(), cpu(), {.shapes = {{"weight", {"K", 2}}}});
  CHECK(
      text_of_error([&] { model.get_parameters(); }) ==
      "mithril.ShapeError[E0209]: dim 0 of the parameter 'weight' is not known\n"
      "  shape : [K, 2]\n"
      "  help: give shapes when compiling, for this key or for the data that determines it; if it "
      "is data, name it in data_keys");
  const CompiledModel unranked = compile(product_of_two(), cpu());
  CHECK(
      text_of_error([&] { unranked.randomize_params(); }) ==
      "mithril.ShapeError[E0209]: the rank of the parameter 'weight' is not known\n"
      "  shape : [...]\n"
      "  help: give shapes when compiling, for this key or for the data that determines it; if it "
      "is data, name it in data_keys");
}

TEST_CASE("a state dict that does not fit is refused with all that is wrong") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "a"}, {"output", "plus_a"}});
  model |= Model::op("add")({{"left", "plus_a"}, {"right", "b"}, {"output", "plus_b"}});
  const CompiledModel sum = compile(model, cpu(), {.shapes = {{"a", {2}}, {"b", {2}}}});
  CHECK(text_of_error([&] {
          sum.load_state_dict({{"b", Tensor(DType::float32, {3})}, {"c", Tensor()}});
        }) ==
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing    : a [2]\n"
        "  mismatched : b float32[3], expected float32[2]\n"
        "  unknown    : c [0]");
}

TEST_CASE("an unknown key of a state dict gives the nearest") {
  CHECK(text_of_error([] {
          compiled().load_state_dict({{"wieght", params.at("weight")}});
        }) ==
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing : weight [2]\n"
        "  unknown : wieght [2]   did you mean 'weight'?");
}

TEST_CASE("a state of other keys is refused") {
  Model model;
  model |= Model::op("add")({{"left", "x"}, {"right", "total"}, {"output", "sum"}});
  model.bind_state_keys("total", "sum", Tensor(DType::float32, {2}));
  model |= Model::op("relu")({{"input", "sum"}, {"output", "y"}});
  const CompiledModel summing = compile(model, cpu());
  CHECK(text_of_error([&] {
          summing.evaluate({}, {{"x", Tensor(DType::float32, {2})}},
                           State(TensorMap{{"totla", Tensor(DType::float32, {2})}}));
        }) ==
        "mithril.StateError[E0902]: the state has other keys than the model\n"
        "  expected : total\n"
        "  got      : totla\n"
        "  help: begin with initial_state_dict()");
}

}  // namespace mithril
