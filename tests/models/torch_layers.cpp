// Layers against PyTorch's, by the numbers of tests/data/torch_layers.jsonl
// (tools/make_torch_references): outputs, gradients, and states over several steps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/models/library.hpp"

namespace mithril {
namespace {

using nlohmann::json;

Datum datum_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return {};
  Tuple items;
  for (const json& item : value) items.push_back(datum_of(item));
  return Datum(std::move(items));
}

Tensor tensor_of(const json& value) {
  const json& values = value.at("values");
  const bool whole = !values.empty() && values.front().is_number_integer();
  Tensor tensor(DType::float64, value.at("dims").get<Dims>());
  std::copy(values.begin(), values.end(), tensor.mutable_values<double>().begin());
  return whole ? tensor.to(DType::int64) : tensor;
}

TensorMap tensors_of(const json& values) {
  std::vector<TensorMap::Item> items;
  for (const auto& [name, value] : values.items()) items.emplace_back(name, tensor_of(value));
  return TensorMap(std::move(items));
}

void check_near(const std::string& what, const Tensor& got, const json& reference) {
  CAPTURE(what);
  const Tensor expected = tensor_of(reference);
  REQUIRE(got.dims() == expected.dims());
  for (int64_t i = 0; i < got.size(); ++i) {
    const double wanted = expected.at_as_double(i);
    CHECK(std::abs(got.at_as_double(i) - wanted) <= 1e-10 * std::max(1.0, std::abs(wanted)));
  }
}

void check_layer(const json& reference) {
  Arguments arguments;
  for (const auto& [name, value] : reference.at("arguments").items())
    arguments.emplace_back(name, datum_of(value));
  const Model model = make_model(reference.at("model").get<std::string>(), arguments);
  CompileOptions options{.trainable_keys = {}};
  const json& first = reference.at("steps").front();
  for (const auto& [key, value] : first.at("params").items()) {
    options.trainable_keys.push_back(key);
    const std::vector<DimSpec> open(tensor_of(value).dims().size(), Any{});
    options.shapes.emplace_back(key, ShapeSpec(open));  // the rank alone
  }
  for (const auto& [key, value] : first.at("state").items()) {
    const Dims dims = tensor_of(value).dims();
    options.shapes.emplace_back(key, ShapeSpec(std::vector<DimSpec>(dims.begin(), dims.end())));
  }
  const CompiledModel compiled = compile(model, cpu({.dtype = DType::float64}), options);
  State state;
  for (const json& step : reference.at("steps")) {
    const TensorMap params = tensors_of(step.at("params"));
    for (const auto& [key, value] : step.at("state").items()) {
      if (!state.contains(key))
        state[key] = Tensor::full(DType::float64, tensor_of(value).dims(), key == "running_var");
    }
    TensorMap data;
    for (const auto& [key, tensor] : tensors_of(step.at("data"))) {
      const bool is_state = compiled.initial_state_dict().contains(key);
      (is_state ? state[key] : data[key]) = tensor;
    }
    const auto [outputs, gradients, next] =
        compiled.evaluate(params, data, {{"output", tensor_of(step.at("gradient"))}}, state);
    check_near("output", outputs.at("output"), step.at("output"));
    for (const auto& [key, value] : step.at("gradients").items())
      check_near("gradient of " + key, gradients.at(key), value);
    for (const auto& [key, value] : step.at("state").items())
      check_near("state " + key, next.at(key), value);
    state = next;
  }
}

}  // namespace

TEST_CASE("layers compute the outputs, gradients and states of PyTorch's layers") {
  std::ifstream file("tests/data/torch_layers.jsonl");
  int references = 0;
  for (std::string line; std::getline(file, line); ++references) {
    const json reference = json::parse(line);
    const auto layer = reference.at("model").get<std::string>();
    const auto name = reference.at("name").get<std::string>();
    CAPTURE(layer);
    CAPTURE(name);
    check_layer(reference);
  }
  REQUIRE(references > 0);
}

}  // namespace mithril
