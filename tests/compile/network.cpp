// The first network of docs/semantics.md.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/convolution.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"
#include "mithril/models/ops/shapes.hpp"

namespace ml = mithril;

namespace mithril {
namespace {

Model network() {
  ml::Model net;
  net |= ml::Conv2d({.filters = 8, .kernel_size = 3})({{"input", "image"}});
  net += ml::Relu();
  net += ml::Flatten({.start_dim = 1});
  net += ml::Linear({.dimension = 10})({{"output", "logits"}});
  return net;
}

Tensor image(int64_t batch) { return Tensor::full(DType::float32, {batch, 1, 8, 8}, 0.5); }

}  // namespace

TEST_CASE("the network of the documentation compiles and has gradients") {
  const Model net = network();
  auto compiled = ml::compile(net, ml::cpu(), {.shapes = {{"image", {ml::any, 1, 8, 8}}}});
  auto params = compiled.get_parameters();
  CHECK(compiled.data_keys() == std::vector<std::string>{"image"});
  CHECK(params.keys() ==
        std::vector<std::string>{"conv2d.weight", "conv2d.bias", "linear.weight", "linear.bias"});
  CHECK(params.at("linear.weight").dims() == Dims{10, 8 * 6 * 6});
  auto [out, grad] = compiled.evaluate(params, {{"image", image(4)}},
                                       {{"logits", Tensor::full(DType::float32, {4, 10}, 1)}});
  CHECK(out.at("logits").dims() == Dims{4, 10});
  CHECK(grad.keys() == params.keys());
  CHECK(identical(grad.at("linear.bias"), Tensor::full(DType::float32, {10}, 4)));
}

TEST_CASE("a network runs batches of 0, 1, 7 and 32 without compiling again") {
  const CompiledModel compiled = compile(network(), cpu(), {.shapes = {{"image", {any, 1, 8, 8}}}});
  const TensorMap params = compiled.get_parameters();
  const Tensor one = compiled.evaluate(params, {{"image", image(1)}}).at("logits");
  for (const int64_t batch : {0, 1, 7, 32}) {
    const auto [out, gradients] =
        compiled.evaluate(params, {{"image", image(batch)}},
                          {{"logits", Tensor::full(DType::float32, {batch, 10}, 1)}});
    const Tensor& logits = out.at("logits");
    REQUIRE(logits.dims() == Dims{batch, 10});
    for (int64_t i = 0; i < logits.size(); ++i) {
      REQUIRE(logits.at_as_double(i) == doctest::Approx(one.at_as_double(i % 10)));
    }
    CHECK(gradients.at("linear.bias").at_as_double(0) == static_cast<double>(batch));
  }
}

TEST_CASE("short names of a network are those of its layers") {
  const CompiledModel compiled = compile(network(), cpu(), {.use_short_namings = true});
  CHECK(compiled.input_keys() ==
        std::vector<std::string>{"image", "weight_0", "bias_0", "weight_1", "bias_1"});
}

}  // namespace mithril
