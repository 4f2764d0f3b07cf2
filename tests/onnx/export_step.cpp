// Steps of training as ONNX files.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "mithril/onnx/export/write_onnx.hpp"
#include "mithril/onnx/read_onnx.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/optim/update_rule.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/serialization/files.hpp"
#include "tests/training/classifier.hpp"

namespace mithril {
namespace {

using tests::FileFolder;
using tests::text_of_error;

// A rule whose step scalars are numbers alone.
struct PlainFormula {
  explicit PlainFormula(const OptimizerSettings&) {}
  static std::vector<OptimizerSlot> slots() { return {}; }
  static std::vector<double> step_scalars(std::int64_t, const StepRates& rates) {
    return {rates.lr};
  }
  template <typename Value>
  void operator()(ParameterUpdate<Value>& update) const {
    update.param = update.param - update.gradient * update.step_scalars[0];
  }
};

double farthest(const Tensor& a, const Tensor& b) {
  REQUIRE(a.dims() == b.dims());
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a.at_as_double(i) - b.at_as_double(i)));
  return largest;
}

}  // namespace

TEST_CASE("onnx: the file of a step gives the parameters and slots after the step") {
  const FileFolder folder;
  const CompiledModel compiled = tests::compiled_classifier({.dtype = DType::float64});
  TensorMap params = compiled.get_parameters();
  Adam optimizer({.lr = 0.01});
  TrainingStep step(compiled, optimizer, {.max_norm = 0.5});
  step(params, tests::batch(30, 1));
  const OnnxWriteOptions options{.params = params.share()};
  const std::string path = folder.at("step.onnx");
  const TensorMap values = write_onnx(step, path, options);
  const TensorMap data = tests::batch(30, 2);
  const TensorMap made = onnx_reference(step, data, options);
  const OnnxModel net = read_onnx(path, {.shapes = {{"words", {30}}, {"classes", {30}}}});
  CHECK(net.parameters.empty());  // they are inputs
  const TensorMap outputs = step(params, data);
  CHECK(made.at("loss").item() == doctest::Approx(outputs.at("loss").item()));
  CHECK(values.at("steps").item() == 1);
  CHECK(made.at("steps_next").item() == 2);
  const TensorMap kept = optimizer.state_dict();
  for (const auto& item : params) {
    const std::string key = item.key();
    CAPTURE(key);
    CHECK(farthest(made.at(key + "_next"), item.tensor()) < 1e-12);
    const std::string slot = key + ".exp_avg";
    CHECK(farthest(made.at(slot + "_next"), kept.at(slot)) < 1e-12);
    CHECK(!identical(values.at(key), item.tensor()));  // the step has moved it
  }
}

TEST_CASE("onnx: nodes of a reference read the values of another program") {
  const CompiledModel compiled = tests::compiled_classifier();
  const OnnxWriteOptions options{.params = compiled.get_parameters(), .all_values = true};
  const TensorMap data = tests::batch(7);
  const TensorMap made = onnx_reference(compiled, data, options);
  tests::check_identical(made, onnx_reference(compiled, data, options, made));
  const TensorMap other = {{"losses", Tensor::full(DType::float32, {7}, 3)}};
  const TensorMap read = onnx_reference(compiled, data, options, other);
  tests::check_identical({{"losses", made.at("losses")}}, read);  // its node reads the scores
  CHECK(read.at("loss").item() == 3);
}

TEST_CASE("onnx: an optimizer whose numbers no graph computes is refused") {
  const FileFolder folder;
  const CompiledModel compiled = tests::compiled_classifier({.dtype = DType::float64});
  TensorMap params = compiled.get_parameters();
  Optimizer optimizer({.name = "Plain", .doc = "", .options = {}, .rule = rule_of<PlainFormula>},
                      0.5);
  TrainingStep step(compiled, optimizer);
  step(params, tests::batch(30, 1));
  CHECK(text_of_error(
            [&] { write_onnx(step, folder.at("step.onnx"), {.params = params.share()}); }) ==
        "mithril.ValueError[E1370]: this training step cannot be exported\n"
        "  Plain : no graph computes the numbers of its steps with these options");
}

TEST_CASE("onnx: a step is written without gradients") {
  const FileFolder folder;
  const CompiledModel compiled = tests::compiled_classifier({.dtype = DType::float64});
  SGD optimizer({.lr = 0.1});
  const TrainingStep step(compiled, optimizer);
  CHECK(text_of_error([&] { write_onnx(step, folder.at("step.onnx"), {.gradients = true}); }) ==
        "mithril.ValueError[E1371]: a training step has its own state, and its file has no "
        "gradients\n"
        "  help: leave `state` and `gradients` out, or write step.compiled");
}

}  // namespace mithril
