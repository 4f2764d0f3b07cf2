// Random models on several backends, with parts placed at random, agree with one backend.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/base/error.hpp"
#include "mithril/compile/compile.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/placed_model.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

constexpr double value_tolerance = 1e-5, gradient_tolerance = 1e-4;

// The difference of the first tensor that differs.
std::string first_difference(const TensorMap& got, const TensorMap& expected, double tolerance) {
  for (const auto& [key, tensor] : expected) {
    const std::string apart = difference(got.at(key).host(), tensor.host(), tolerance);
    if (!apart.empty()) return key + ": " + apart;
  }
  return {};
}

// A finite gradient of each float output that has one.
std::vector<TensorMap> incoming_gradients(const CompiledModel& compiled, const PlacedModel& placed,
                                          std::uint64_t seed) {
  Random random(seed);
  std::vector<TensorMap> all;
  const TensorMap outputs = compiled.evaluate(placed.params, placed.data);
  for (const auto& [key, tensor] : outputs) {
    if (!is_floating(tensor.dtype())) continue;
    TensorMap one{{key, random_direction(tensor.dims(), random).to(tensor.dtype())}};
    try {
      compiled.evaluate(placed.params, placed.data, one);
      all.push_back(std::move(one));
    } catch (const GradientError&) {
      continue;  // an op before this output has no gradient
    }
  }
  return all;
}

// The outputs, or the code of the error if an op refuses its inputs.
struct PlacedRun {
  TensorMap outputs;
  std::string refusal;
};

PlacedRun run_of(const CompiledModel& compiled, const PlacedModel& placed) {
  try {
    return {compiled.evaluate(placed.params, placed.data), ""};
  } catch (const ValueError& error) {
    return {{}, error.code()};
  }
}

}  // namespace

// MITHRIL_RANDOM_SEED sets the seed of the first model, MITHRIL_PLACED_MODELS the number of models
// that refuse no inputs.
TEST_CASE("random models on several backends agree with one backend") {
  if (!has_torch()) return skip_without_torch();
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t models = number_from("MITHRIL_PLACED_MODELS", sampled(4, 20));
  const auto main = cpu({.dtype = DType::float64});
  const std::vector<std::shared_ptr<Backend>> backends{
      main, torch({.dtype = DType::float64}),
      cpu({.dtype = DType::float64, .threads = 1, .reference = true})};
  std::size_t gradients = 0, accepted = 0;
  const int sampled_placements = all_cases() ? 5 : 3;
  for (std::uint64_t seed = first; accepted < models; ++seed) {
    const RandomModel random = random_model(seed, placed_parts);
    CAPTURE(description(random));
    const PlacedModel placed(random);
    const CompiledModel one = compile(placed.model, main, placed.options);
    const PlacedRun expected = run_of(one, placed);
    std::vector<TensorMap> incoming;
    if (expected.refusal.empty()) {
      incoming = incoming_gradients(one, placed, seed);
      ++accepted;
    }
    Random choice(seed);
    for (int placement = 0; placement < sampled_placements; ++placement) {
      CAPTURE(placement);
      Backends where{{"", backends[choice() % backends.size()]}};
      for (const std::string& path : placed.paths)
        where.emplace(path, backends[choice() % backends.size()]);
      const CompiledModel several = compile(placed.model, where, placed.options);
      const PlacedRun got = run_of(several, placed);
      CHECK(got.refusal == expected.refusal);
      CHECK(first_difference(got.outputs, expected.outputs, value_tolerance) == "");
      for (const TensorMap& gradient : incoming) {
        CAPTURE(gradient.keys().front());
        CHECK(first_difference(several.evaluate(placed.params, placed.data, gradient).second,
                               one.evaluate(placed.params, placed.data, gradient).second,
                               gradient_tolerance) == "");
        ++gradients;
      }
    }
  }
  fmt::print("random placements: {} models, {} gradients\n", accepted, gradients);
}

}  // namespace mithril::tests
