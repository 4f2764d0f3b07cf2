// Random models are written as ONNX files and read back with equal results.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/environment.hpp"
#include "tests/onnx/exported.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/nudged.hpp"
#include "tests/serialization/files.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

std::vector<Tensor> inputs_for(const Graph& graph, const RandomModel& random) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, spec] : random.inputs) {
    specs.push_back(is_integer(spec.dtype)    ? spec.as(DType::int64)
                    : is_floating(spec.dtype) ? spec.as(DType::float64)
                                              : spec);
  }
  const std::vector<Tensor> tensors = generate(specs, random.seed);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      if (random.inputs[i].first == graph.value(id).name) inputs.push_back(tensors[i]);
  }
  return inputs;
}

bool are_numbers(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      if (!std::isfinite(tensor.at_as_double(i))) return false;
  }
  return true;
}

// Whether rounding decides the result.
bool depends_on_rounding(const Graph& graph, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& expected, std::uint64_t seed) {
  Random random(seed);
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> moved;
    for (const Tensor& tensor : inputs) moved.push_back(nudged(tensor, 1e-11, random));
    const std::vector<Tensor> beside = interpret(nudged(graph, 1e-11, random), moved);
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (!difference(beside[k], expected[k], 1e-6).empty()) return true;
  }
  return false;
}

struct GradientCase {
  Graph graph;      // of the gradients of the first float output
  Tensor incoming;  // its last input
};

// Nothing without floats.
std::optional<GradientCase> gradient_case(const Graph& forward, const std::vector<Tensor>& inputs,
                                          std::uint64_t seed) {
  DifferentiateOptions options;
  std::optional<TensorSpec> incoming;
  const std::vector<Tensor> results = interpret(forward, inputs);
  for (std::size_t i = 0; i < results.size() && !incoming; ++i) {
    if (!is_floating(results[i].dtype())) continue;
    options.outputs.push_back(forward.outputs()[i].name);
    incoming = TensorSpec{results[i].dims()};
  }
  for (const ValueId id : forward.inputs())
    if (is_floating(forward.value(id).dtype)) options.wanted.push_back(forward.value(id).name);
  if (!incoming || options.wanted.empty()) return std::nullopt;
  return GradientCase{run_passes(differentiate(forward, options)),
                      generate({*incoming}, seed).front()};
}

// Returns whether the model is compared.
bool survives(std::uint64_t seed, const FileFolder& folder, bool of_gradients) {
  const RandomModel random = random_model(seed);
  Graph graph = run_passes(flatten(compose(random), DType::float64).graph);
  std::vector<Tensor> inputs = inputs_for(graph, random);
  std::vector<Tensor> expected;
  try {
    if (of_gradients) {
      std::optional<GradientCase> gradients = gradient_case(graph, inputs, seed);
      if (!gradients) return false;
      graph = std::move(gradients->graph);
      inputs.push_back(gradients->incoming);
    }
    expected = interpret(graph, inputs);
  } catch (const Error&) {
    return false;  // the reference refuses the elements, or there is no derivative
  }
  const OnnxExport made = exported_to_onnx(graph);
  if (!are_numbers(expected) || !made.problems.empty()) return false;
  const std::string path = folder.write("random.onnx", made.bytes);
  std::string apart;
  try {
    const std::vector<Tensor> got = results_of_onnx(path, graph, inputs);
    for (std::size_t i = 0; i < got.size() && apart.empty(); ++i)
      apart = difference(got[i], expected[i], 1e-9);
  } catch (const Error& error) {
    apart = error.what();
  }
  if (!apart.empty() && depends_on_rounding(graph, inputs, expected, seed)) return false;
  CHECK_MESSAGE(apart.empty(), seed << ": " << apart << "\n" << description(random));
  return true;
}

}  // namespace

TEST_CASE("onnx export: random models are read back with equal results") {
  const FileFolder folder;
  const int count = sanitized ? 20 : static_cast<int>(sampled(60, 200));
  int compared = 0;
  for (std::uint64_t seed = 1; compared < count && seed < 1000; ++seed)
    compared += survives(seed, folder, false);
  CHECK(compared == count);
}

TEST_CASE("onnx export: gradients of random models are read back with equal results") {
  const FileFolder folder;
  const int count = sanitized ? 10 : static_cast<int>(sampled(30, 100));
  int compared = 0;
  for (std::uint64_t seed = 1; compared < count && seed < 1000; ++seed)
    compared += survives(seed, folder, true);
  CHECK(compared == count);
}

}  // namespace mithril::tests
