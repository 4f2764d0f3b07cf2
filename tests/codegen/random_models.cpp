// Random models in C++: values and gradients, built with each compiler.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "mithril/eval/interpreter.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

struct Given {
  std::vector<Tensor> inputs;       // in the order of the graph's
  std::vector<std::string> floats;  // names
};

Given given_to(const Graph& graph, const RandomModel& random) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, spec] : random.inputs) {
    specs.push_back(is_integer(spec.dtype)    ? spec.as(DType::int64)
                    : is_floating(spec.dtype) ? spec.as(DType::float64)
                                              : spec);
  }
  const std::vector<Tensor> tensors = generate(specs, random.seed);
  Given given;
  for (const ValueId id : graph.inputs()) {
    const std::string& name = graph.value(id).name;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (random.inputs[i].first == name) given.inputs.push_back(tensors[i]);
    }
    if (is_floating(graph.value(id).dtype)) given.floats.push_back(name);
  }
  return given;
}

// The result for infinities depends on the order of operations in a formula.
bool is_finite(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (std::isinf(tensor.at_as_double(i))) return false;
    }
  }
  return true;
}

// Returns whether the ops accept these inputs and give finite results.
bool is_defined(const Graph& graph, const std::vector<Tensor>& inputs) {
  try {
    return is_finite(interpret(expand_ops(graph), inputs));
  } catch (const Error&) {
    return false;
  }
}

void check_random_models(std::uint64_t models, const CompilerChoice& choice) {
  ModelChecks checks;
  std::uint64_t added = 0;
  for (std::uint64_t seed = 1; added < models; ++seed) {
    const RandomModel random = random_model(seed);
    const Graph graph = flatten(compose(random), DType::float64).graph;
    const Given given = given_to(graph, random);
    if (!is_defined(graph, given.inputs)) continue;
    checks.add(fmt::format("random model {}", seed), graph, given.inputs, given.floats);
    ++added;
  }
  checks.run(choice);
}

}  // namespace

TEST_CASE("generated C++ gives the results of 20 random models") {
  check_random_models(20, {.most_compilers = 1});
}

TEST_CASE("generated C++ gives the results of 200 random models" * doctest::test_suite("slow")) {
  check_random_models(200, {});
}

}  // namespace mithril::tests
