// Random models and their gradients have the same bits with native code and without.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/cpu/native.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

// The model's outputs, and the gradients of float outputs if there are any.
Graph with_all_gradients(const Graph& forward) {
  const DifferentiateOptions options = all_gradients(forward);
  try {
    return run_passes(differentiate(forward, options));
  } catch (const GradientError&) {
    return run_passes(forward);  // an op on the way has no gradient
  }
}

std::vector<Tensor> inputs_like(const Graph& graph, const RandomModel& random) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    TensorSpec spec = normal({});
    for (const Dim& dim : value.dims) spec.dims.push_back(dim.constant());
    for (const auto& [name, given] : random.inputs) {
      if (name == value.name) spec = given;
    }
    inputs.push_back(generate({spec.as(value.dtype)}, random.seed)[0]);
  }
  return inputs;
}

struct Ended {
  std::vector<Tensor> outputs;
  std::string refusal;
};
Ended ended(const Executable& executable, const std::vector<Tensor>& inputs) {
  try {
    return {executable.run(inputs), ""};
  } catch (const Error& error) {
    return {{}, error.code()};
  }
}

}  // namespace

TEST_CASE("random models give the same bits with native code") {
  if (!has_compiler()) return skip_without_compiler();
  const CacheFolder folder;
  std::vector<CpuSetting> settings;
  for (const CpuSetting& setting : cpu_settings()) {
    if (setting.native) settings.push_back(setting);
  }
  std::uint64_t compiled = 0;
  const std::uint64_t models = sampled(18, 60);
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + models; ++seed) {
    CAPTURE(seed);
    const RandomModel random = random_model(seed);
    const DType dtype = seed % 2 ? DType::float32 : DType::float64;
    const Graph graph = with_all_gradients(flatten(compose(random), dtype).graph);
    const std::vector<Tensor> inputs = inputs_like(graph, random);
    CpuSetting setting = settings[seed % settings.size()];
    CAPTURE(description(setting));
    const InstructionsLimit limit(setting.instructions);
    const auto native = load_with(setting, graph);
    const std::string note = native_note(*native);
    compiled += note.find(" loops run as native code of ") != std::string::npos;
    const Ended got = ended(*native, inputs);
    setting.native = false;
    const Ended expected = ended(*load_with(setting, graph), inputs);
    CHECK(got.refusal == expected.refusal);
    REQUIRE(got.outputs.size() == expected.outputs.size());
    for (size_t i = 0; i < got.outputs.size(); ++i) {
      CAPTURE(graph.outputs()[i].name);
      CHECK_MESSAGE(bits_difference(got.outputs[i], expected.outputs[i]) == "", note);
    }
  }
  CHECK(compiled > models / 3);
}

}  // namespace mithril::tests
