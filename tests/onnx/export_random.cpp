// Random models are written as ONNX files and read back with equal results.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
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

// Returns whether the model is compared.
bool survives(std::uint64_t seed, const FileFolder& folder) {
  const RandomModel random = random_model(seed);
  const Graph graph = run_passes(flatten(compose(random), DType::float64).graph);
  const std::vector<Tensor> inputs = inputs_for(graph, random);
  std::vector<Tensor> expected;
  try {
    expected = interpret(graph, inputs);
  } catch (const Error&) {
    return false;  // the reference refuses the elements
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

TEST_CASE("onnx export: 200 random models are read back with equal results") {
  const FileFolder folder;
  const int count = sanitized ? 20 : 200;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < count && seed < 1000; ++seed)
    compared += survives(seed, folder);
  CHECK(compared == count);
}

}  // namespace mithril::tests
