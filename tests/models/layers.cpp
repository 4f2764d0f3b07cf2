// Initial parameters and random numbers of layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/attention.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/embedding.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/making_data.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

// The largest absolute value, and the root of the mean square.
struct Spread {
  double largest = 0, deviation = 0;
};
Spread spread(const Tensor& tensor) {
  Spread spread;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = std::abs(tensor.at_as_double(i));
    spread.largest = std::max(spread.largest, value);
    spread.deviation += value * value / static_cast<double>(tensor.size());
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

TensorMap begin(const Model& model, const ShapeSpec& input) {
  return compile(model, cpu(), {.shapes = {{"input", input}}}).get_parameters();
}

void check_uniform(const Tensor& tensor, double bound) {
  const auto [largest, deviation] = spread(tensor);
  CHECK(largest <= bound);
  CHECK(largest > 0.97 * bound);
  CHECK(deviation == doctest::Approx(bound / std::sqrt(3)).epsilon(0.05));
}

CompiledModel dropout(double p, int64_t seed) {
  return compile(ml::Dropout({.p = p, .seed = seed}), cpu({.dtype = DType::float64}),
                 {.trainable_keys = {"input"}});
}

Tensor full(int64_t count, double value) { return Tensor::full(DType::float64, {count}, value); }

}  // namespace

TEST_CASE("linear layers are initialised as nn.Linear") {
  const TensorMap params = begin(ml::Linear({.dimension = 500}), {any, 64});
  check_uniform(params.at("weight"), 1 / std::sqrt(64));
  check_uniform(params.at("bias"), 1 / std::sqrt(64));
}

TEST_CASE("convolutions are initialised as nn.Conv1d and nn.Conv2d") {
  const TensorMap flat = begin(ml::Conv1d({.filters = 300, .kernel_size = 3}), {any, 12, 9});
  check_uniform(flat.at("weight"), 1 / std::sqrt(12 * 3));
  check_uniform(flat.at("bias"), 1 / std::sqrt(12 * 3));
  const TensorMap params =
      begin(ml::Conv2d({.filters = 300, .kernel_size = 3, .groups = 4}), {any, 16, 9, 9});
  check_uniform(params.at("weight"), 1 / std::sqrt(16 / 4 * 9));
  check_uniform(params.at("bias"), 1 / std::sqrt(16 / 4 * 9));
}

TEST_CASE("embeddings are initialised as nn.Embedding") {
  const TensorMap params = begin(ml::Embedding({.num_embeddings = 200, .dim = 50}), {any});
  const auto [largest, deviation] = spread(params.at("weight"));
  CHECK(deviation == doctest::Approx(1).epsilon(0.05));
  CHECK(largest > 3);
}

TEST_CASE("normalisations are initialised with ones and zeros") {
  const TensorMap params = begin(ml::LayerNorm(), {any, 6});
  CHECK(identical(params.at("weight"), Tensor::full(DType::float32, {6}, 1)));
  CHECK(identical(params.at("bias"), Tensor::full(DType::float32, {6}, 0)));
}

TEST_CASE("dropout keeps the mean and drops a share of p") {
  const int64_t count = 40000;
  const auto [outputs, next] = dropout(0.3, 1).evaluate({{"input", full(count, 1)}}, {},
                                                        dropout(0.3, 1).initial_state_dict());
  double mean = 0, dropped = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double value = outputs.at("output").at_as_double(i);
    mean += value / count;
    dropped += (value == 0) / static_cast<double>(count);
    REQUIRE((value == 0 || value == doctest::Approx(1 / 0.7)));
  }
  CHECK(mean == doctest::Approx(1).epsilon(0.02));
  CHECK(dropped == doctest::Approx(0.3).epsilon(0.04));
}

TEST_CASE("convolutions infer options that are left out from the weight") {
  Model image = ml::Conv2d({.stride = 2, .groups = 2});
  image.set_shapes({{"weight", {6, 2, 3, 3}}, {"input", {"N", 4, 9, 9}}});
  CHECK(to_string(image.shape("output")) == "[N, 6, 4, 4]");
  CHECK(to_string(image.shape("bias")) == "[6]");
  Model line = ml::Conv1d({.filters = 5, .padding = 1, .use_bias = false});
  line.set_shapes({{"weight", {Any{}, Any{}, 3}}, {"input", {"N", 4, 9}}});
  CHECK(to_string(line.shape("weight")) == "[5, 4, 3]");
  CHECK(to_string(line.shape("output")) == "[N, 5, 9]");
}

TEST_CASE("attention has a port for a mask where one is wanted") {
  const std::vector<std::string> inputs = ml::ScaledDotProduct({.scale = 0.5}).input_keys();
  CHECK(std::find(inputs.begin(), inputs.end(), "attn_mask") == inputs.end());
  Model masked = ml::ScaledDotProduct({.is_causal = false, .use_attn_mask = true});
  masked.set_shapes({{"query", {"N", 2, 3}}, {"key", {"N", 2, 3}}, {"value", {"N", 2, 1}}});
  CHECK(to_string(masked.shape("output")) == "[N, 2, 1]");
  const Tensor query = full(6, 0).reshape({1, 2, 3});
  const Tensor value = Tensor::of<double>({1, 2, 1}, {1, 5});
  const CompiledModel model = compile(masked, cpu({.dtype = DType::float64}),
                                      {.types = {{"attn_mask", kind::bool_tensor}}});
  const Tensor mask = Tensor::of<bool>({2, 2}, {true, false, true, true});
  const TensorMap outputs =
      model.evaluate({{"key", query}, {"value", value}}, {{"query", query}, {"attn_mask", mask}});
  CHECK(identical(outputs.at("output"), Tensor::of<double>({1, 2, 1}, {1, 3})));
}

TEST_CASE("dropout draws by its seed") {
  const TensorMap params{{"input", full(100, 1)}};
  const auto output = [&](const CompiledModel& model) {
    return model.evaluate(params, {}, model.initial_state_dict()).first.at("output");
  };
  CHECK(identical(output(dropout(0.5, 3)), output(dropout(0.5, 3))));
  CHECK_FALSE(identical(output(dropout(0.5, 3)), output(dropout(0.5, 4))));
}

TEST_CASE("gradients of dropout use the mask of the outputs") {
  const CompiledModel model = dropout(0.4, 5);
  State state = model.initial_state_dict();
  for (int step = 0; step < 3; ++step) {
    const auto [outputs, gradients, next] =
        model.evaluate({{"input", full(100, 2)}}, {}, {{"output", full(100, 2)}}, state);
    CHECK(identical(gradients.at("input"), outputs.at("output")));
    CHECK_FALSE(identical(next.at("key"), state.at("key")));
    state = next;
  }
}

TEST_CASE("attention drops weights, and divides the others by the share that is kept") {
  const int64_t count = 40;
  const ml::ScaledDotProductOptions options{.is_causal = false, .dropout_p = 0.25, .seed = 2};
  Model model = ml::ScaledDotProduct(options);
  model.set_shapes({{"query", {count, 3}}});
  const CompiledModel compiled =
      compile(model, cpu({.dtype = DType::float64}), {.data_keys = {"query"}});
  const Tensor alike = full(count * 3, 0).reshape({count, 3});
  Tensor each = Tensor::full(DType::float64, {count, count}, 0);  // the output is the weights
  for (int64_t i = 0; i < count; ++i) each.mutable_data<double>()[i * count + i] = 1;
  State state = compiled.initial_state_dict();
  const auto attend = [&] {
    auto [outputs, next] =
        compiled.evaluate({{"key", alike}, {"value", each}}, {{"query", alike}}, state);
    state = next;
    return outputs.at("output");
  };
  const Tensor weights = attend();
  int64_t dropped = 0;
  for (int64_t i = 0; i < weights.size(); ++i) {
    const double weight = weights.data<double>()[i];
    CHECK((weight == 0 || weight == doctest::Approx(1 / (0.75 * count))));
    dropped += weight == 0;
  }
  CHECK(static_cast<double>(dropped) / (count * count) == doctest::Approx(0.25).epsilon(0.15));
  CHECK_FALSE(identical(attend(), weights));
}

TEST_CASE("a layer with state that is applied returns one output") {
  const Connection image("image");
  CHECK(ml::Dropout().apply({image}).size() == 1);
  CHECK(ml::BatchNorm2D({.inference = false}).apply({image}).size() == 1);
  const CompiledModel model =
      compile(ml::BatchNorm2D({.num_features = 2, .inference = false}), cpu());
  CHECK(model.output_keys() == std::vector<std::string>{"output"});
}

TEST_CASE("dropout for inference passes everything") {
  const CompiledModel model = compile(ml::Dropout({.p = 0.5, .inference = true}), cpu());
  const Tensor input = Tensor::full(DType::float32, {9}, 3);
  CHECK(identical(model.evaluate({}, {{"input", input}}).at("output"), input));
}

}  // namespace mithril
