// Parts that share parameters and states.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/reductions.hpp"
#include "tests/errors/text_of_error.hpp"

namespace mithril {
namespace {

using tests::text_of_error;
using Names = std::vector<std::string>;

std::vector<float> floats_of(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

Model normed_network() {
  Model net;
  net |= Linear({.dimension = 3})({{"input", "x"}});
  net += BatchNorm1D();
  net += Softmax({.axis = 1})({{"output", "y"}});
  return net;
}

}  // namespace

TEST_CASE("a shared part reads the same parameters") {
  const Model encoder = Linear({.dimension = 2});
  Model net;
  net |= encoder({{"input", "a"}, {"output", "left"}});
  net |= encoder.shared()({{"input", "b"}, {"output", "right"}});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"a", {1, 2}}, {"b", {1, 2}}}, .data_keys = {"a", "b"}});
  CHECK(compiled.parameter_keys() == Names{"linear.weight", "linear.bias"});
  const TensorMap params = compiled.get_parameters();
  const Tensor one = Tensor::of<float>({1, 2}, {3, 4});
  const auto [outputs, gradients] =
      compiled.evaluate(params, {{"a", one}, {"b", one}},
                        OutputGradients{{"left", Tensor::full(DType::float32, {1, 2}, 1.0)},
                                        {"right", Tensor::full(DType::float32, {1, 2}, 1.0)}});
  CHECK(floats_of(outputs.at("left")) == floats_of(outputs.at("right")));
  CHECK(floats_of(gradients.at("linear.bias")) == std::vector<float>{2, 2});
  CHECK(from_json(to_json(net)) == net);
}

TEST_CASE("applications of shared parts are expressions") {
  const Model encoder = Linear({.dimension = 2});
  const Connection a("a"), b("b");
  const Connection first = encoder(a), second = encoder.shared()(b),
                   third = encoder.shared().shared()(first);
  const Model net = Model::create({{"first", first}, {"second", second}, {"third", third}});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"a", {1, 2}}, {"b", {1, 2}}}, .data_keys = {"a", "b"}});
  CHECK(compiled.parameter_keys().size() == 2);
}

TEST_CASE("shared parts advance one state after the other") {
  const Model norm = BatchNorm1D({.momentum = 0.5});
  Model net;
  net |= norm({{"input", "a"}, {"output", "left"}});
  net |= norm.shared()({{"input", "b"}, {"output", "right"}});
  const CompiledModel compiled =
      compile(net, cpu(), {.shapes = {{"a", {2, 1}}, {"b", {2, 1}}}, .data_keys = {"a", "b"}});
  const State start = compiled.initial_state_dict();
  CHECK(start.size() == 2);
  const TensorMap params = compiled.get_parameters();
  const TensorMap data = {{"a", Tensor::of<float>({2, 1}, {1, 3})},
                          {"b", Tensor::of<float>({2, 1}, {5, 7})}};
  const State next = compiled.evaluate(params, data, start).second;
  // The mean 0 becomes 1 by the mean 2 of a, and 3.5 by the mean 6 of b.
  for (const auto& [key, tensor] : next) {
    if (key.find("mean") != std::string::npos) CHECK(floats_of(tensor) == std::vector<float>{3.5});
  }
  const TensorMap outputs = compiled.infer(params, data, next);
  const TensorMap same = compiled.infer(params, {{"a", data.at("b")}, {"b", data.at("b")}}, next);
  CHECK(floats_of(outputs.at("right")) == floats_of(same.at("left")));
  CHECK(from_json(to_json(net)) == net);
  CHECK(compile(from_json(to_json(net)), cpu(),
                {.shapes = {{"a", {2, 1}}, {"b", {2, 1}}}, .data_keys = {"a", "b"}})
            .initial_state_dict()
            .size() == 2);
}

TEST_CASE("shared dropout draws other numbers in each place") {
  const Model dropout = Dropout({.p = 0.5});
  Model net;
  net |= dropout({{"input", "a"}, {"output", "left"}});
  net |= dropout.shared()({{"input", "a"}, {"output", "right"}});
  const CompiledModel compiled = compile(net, cpu(), {.shapes = {{"a", {200}}}});
  CHECK(compiled.initial_state_dict().size() == 1);
  const TensorMap outputs = compiled
                                .evaluate({}, {{"a", Tensor::full(DType::float32, {200}, 1.0)}},
                                          compiled.initial_state_dict())
                                .first;
  CHECK(floats_of(outputs.at("left")) != floats_of(outputs.at("right")));
}

TEST_CASE("a shared part may be a model with bindings of its own") {
  const Model net = normed_network();
  Model outer;
  outer |= net({{"x", "a"}, {"y", "left"}});
  outer |= net.shared()({{"x", "b"}, {"linear.bias", "other"}, {"y", "right"}});
  const CompiledModel compiled =
      compile(outer, cpu(), {.shapes = {{"a", {2, 2}}, {"b", {2, 2}}}, .data_keys = {"a", "b"}});
  const Names keys = compiled.parameter_keys();
  CHECK(keys.size() == 5);
  CHECK(std::find(keys.begin(), keys.end(), "other") != keys.end());
}

TEST_CASE("a shared part is added after the part") {
  const Model encoder = Linear({.dimension = 2});
  Model net;
  CHECK(text_of_error([&] {
          net |= encoder.shared()({{"input", "b"}});
        }) ==
        "mithril.ConnectionError[E0122]: the part whose parameters this Linear shares is "
        "not in a model yet\n"
        "  help: add the part first, then what its shared() returns");
  net |= encoder({{"input", "a"}});
  CHECK(text_of_error([&] {
          net |= encoder({{"input", "b"}});
        }).ends_with("part.shared() makes one that reads the same parameters and states"));
}

}  // namespace mithril
