// The errors of compiling a model, as text.
#include <doctest/doctest.h>

#include <string>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/linear.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;

Model product() {
  Model model;
  model |= Model::op("multiply")({{"left", "image"}, {"right", "weight"}, {"output", "logits"}});
  return model;
}

std::string compile_error(const CompileOptions& options) {
  const Model model = product();
  const auto before = model.get_shapes();
  const std::string text = text_of_error([&] { compile(model, cpu(), options); });
  CHECK(model.get_shapes() == before);
  return text;
}

}  // namespace

TEST_CASE("an unknown key of an option gives the nearest") {
  CHECK(compile_error({.shapes = {{"imgae", {1}}}}) ==
        "mithril.NameError[E0606]: there is no key 'imgae'\n"
        "  known : image, weight, logits\n"
        "  help: did you mean 'image'?");
}

TEST_CASE("a null backend is refused") {
  CHECK(text_of_error([] { compile(product(), nullptr); }) ==
        "mithril.BackendError[E1052]: compile: the backend is null\n"
        "  help: give one, such as ml::cpu()");
}

TEST_CASE("a key in two sets is refused") {
  CHECK(compile_error({.data_keys = {"weight"}, .trainable_keys = {"image", "weight"}}) ==
        "mithril.ValueError[E0407]: 'weight' is in data_keys and in trainable_keys\n"
        "  help: name it in one of them");
}

TEST_CASE("an option refuses a state as a key") {
  Model model;
  model |= Model::op("add")({{"left", "s"}, {"right", "x"}, {"output", "n"}});
  model.set_shapes({{"x", {2}}});
  model.bind_state_keys("s", "n", Tensor::scalar(0.0f));
  const auto text = [&](const CompileOptions& options) {
    return text_of_error([&] { compile(model, cpu(), options); });
  };
  const std::string help = "\n  help: evaluate takes and gives states; see bind_state_keys";
  CHECK(text({.constant_keys = {{"s", Tensor::full(DType::float32, {2}, 1)}}}) ==
        "mithril.ValueError[E0415]: 's' of constant_keys is a state" + help);
  CHECK(text({.data_keys = {"s"}}) ==
        "mithril.ValueError[E0415]: 's' of data_keys is a state" + help);
}

TEST_CASE("a state that is connected to a source is refused") {
  Model model;
  model |= Model::op("relu")({{"input", "x"}, {"output", "y"}});
  model |= Model::op("add")({{"left", "s"}, {"right", "y"}, {"output", "n"}});
  model.set_shapes({{"x", {2}}});
  model.bind_state_keys("s", "n", Tensor::scalar(0.0f));
  model.merge_connections({"s", "y"});
  CHECK(text_of_error([&] { compile(model, cpu()); }) ==
        "mithril.ConnectionError[E0111]: s: a state needs an open input, and this one has got a "
        "source\n"
        "  help: evaluate gives a state its value: connect nothing to it");
}

TEST_CASE("data keys must be inputs, and discarded keys must be outputs") {
  CHECK(compile_error({.data_keys = {"logits"}}) ==
        "mithril.NameError[E0611]: 'logits' of data_keys is not an input of the model\n"
        "  inputs : image, weight");
  CHECK(compile_error({.constant_keys = {{"logits", 2.0}}}) ==
        "mithril.NameError[E0611]: 'logits' of constant_keys is not an input of the model\n"
        "  inputs : image, weight");
  CHECK(compile_error({.discard_keys = {"image"}}) ==
        "mithril.NameError[E0611]: 'image' of discard_keys is not an output of the model\n"
        "  outputs : logits");
}

TEST_CASE("a key that cannot be trained is refused as trainable") {
  CHECK(compile_error({.types = {{"image", kind::int_tensor}}, .trainable_keys = {"image"}}) ==
        "mithril.GradientError[E0506]: 'image' of trainable_keys cannot be a parameter\n"
        "  reason : only tensors of floats are trained");
  Model model = product();
  model.set_differentiability({{"weight", false}});
  CHECK(text_of_error([&] { compile(model, cpu(), {.trainable_keys = {"weight"}}); }) ==
        "mithril.GradientError[E0506]: 'weight' of trainable_keys cannot be a parameter\n"
        "  reason : it is declared not differentiable");
}

TEST_CASE("a constant is a value or a tensor") {
  CHECK(compile_error({.constant_keys = {{"weight", "image"}}}) ==
        "mithril.TypeError[E0384]: constant_keys takes values and tensors, not names or "
        "connections");
}

TEST_CASE("a connection of another model is refused") {
  const Model other = product();
  CHECK(compile_error({.data_keys = {other.at("weight")}}) ==
        "mithril.ConnectionError[E0107]: connection 'weight' belongs to another model\n"
        "  help: compile the model that it belongs to");
}

TEST_CASE("shapes that contradict each other are refused with their origins") {
  const std::string text = compile_error({.shapes = {{"image", {4, 128}}, {"weight", {256, 64}}}});
  CHECK(text.find("mithril.ShapeError[E02") == 0);
  CHECK(text.find("given by shapes={\"image\": [4, 128]}") != std::string::npos);
  CHECK(text.find("given by shapes={\"weight\": [256, 64]}") != std::string::npos);
}

TEST_CASE("a shape that contradicts a layer names the key and both sides") {
  Model model;
  model |= Linear({.dimension = 256})({{"input", "x"}, {"weight", "proj_w"}, {"output", "y"}});
  CHECK(text_of_error([&] {
          compile(model, cpu(), {.shapes = {{"x", {4, 128}}, {"proj_w", {256, 64}}}});
        }) ==
        "mithril.ShapeError[E0202]: proj_w: two dims differ\n"
        "  one side   : 128          given by shapes={\"x\": [4, 128]}\n"
        "  other side : 64           given by shapes={\"proj_w\": [256, 64]}\n"
        "  known      : [256, 128]   from linear.weight\n"
        "  stated     : [256, 64]    given by shapes={\"proj_w\": [256, 64]}");
}

TEST_CASE("an unknown optimization level gives the nearest") {
  CHECK(text_of_error([] { optimization_level_named("standrad"); }) ==
        "mithril.NameError[E0610]: there is no optimization level 'standrad'\n"
        "  known : none, standard, max\n"
        "  help: did you mean 'standard'?");
}

TEST_CASE("a backend that lacks ops names them") {
  class Poor final : public Backend {
   public:
    std::string_view name() const override { return "poor"; }
    DType default_dtype() const override { return DType::float32; }
    std::vector<std::string> missing(const Graph&) const override { return {"multiply"}; }
    std::unique_ptr<Executable> load(const Graph&, const LoadOptions&) override { return nullptr; }
  };
  CHECK(text_of_error([] { compile(product(), std::make_shared<Poor>()); }) ==
        "mithril.BackendError[E1001]: backend 'poor' cannot run the ops multiply");
}

TEST_CASE("a default dtype that is not floating is refused") {
  CHECK(text_of_error([] { cpu({.dtype = DType::int64}); }) ==
        "mithril.TypeError[E0383]: the default dtype of a backend must be floating, not int64\n"
        "  help: choose float32, float64, float16 or bfloat16");
}

TEST_CASE("mixed precision on the CPU backend requires a dtype of 16 bits") {
  CHECK(text_of_error([] { cpu({.use_amp = true, .amp_dtype = DType::float64}); }) ==
        "mithril.TypeError[E0385]: amp_dtype is float64, which is not a lower precision\n"
        "  help: choose float16 or bfloat16");
}

TEST_CASE("a weight dtype of other than 16 bits is refused") {
  CHECK(
      text_of_error([] { cpu({.weight_dtype = DType::float32}); }) ==
      "mithril.TypeError[E0387]: weight_dtype is float32, which does not hold weights in 16 bits\n"
      "  help: choose float16 or bfloat16, or leave it out");
}

TEST_CASE("a negative number of threads is refused") {
  CHECK(text_of_error([] { cpu({.threads = -2}); }) ==
        "mithril.ValueError[E0433]: threads is -2, expected 0 or more\n"
        "  help: 0 takes as many as the process has processors");
}

}  // namespace mithril
