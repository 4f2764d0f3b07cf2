#include "tests/codegen/check_models.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "mithril/base/error.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

ExportedModel exported(const Graph& graph, const std::vector<Tensor>& inputs, const Names& wanted) {
  ExportedModel model{.graph = run_passes(graph)};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.value(graph.inputs()[i]).name;
    model.inputs.push_back({.key = name,
                            .role = contains(wanted, name) ? ExportedInput::Role::parameter
                                                           : ExportedInput::Role::data,
                            .dims = inputs[i].dims()});
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    model.outputs.push_back({.key = graph.outputs()[i].name, .index = i});
  }
  return model;
}

double tolerance_of(const Graph& graph) {
  const bool single = std::any_of(graph.values().begin(), graph.values().end(),
                                  [](const Value& v) { return v.dtype == DType::float32; });
  return single ? 1e-4 : 1e-10;
}

Tensor drawn_input(const Value& value, Random& random) {
  Dims dims;
  for (const Dim& dim : value.dims) dims.push_back(resolve(dim).constant());
  if (is_floating(value.dtype)) return random_direction(dims, random).to(value.dtype);
  return generate(integers(dims, 0, 3), random).to(value.dtype);
}

}  // namespace

bool is_comparable(const Graph& graph) {
  return std::none_of(graph.values().begin(), graph.values().end(), [](const Value& value) {
    return value.dtype == DType::float16 || value.dtype == DType::bfloat16;
  });
}

void ModelChecks::add(const std::string& what, const Graph& graph,
                      const std::vector<Tensor>& inputs, const Names& wanted) {
  try {
    if (!is_comparable(graph)) return;
    ModelCheck check = model_check(what, graph, inputs, wanted);
    models_.add(check.model, std::move(check.forward), std::move(check.backward));
  } catch (const Error& error) {
    refusals_.push_back(what + ": " + error.what());
  }
}

void ModelChecks::add_drawn(const std::string& what, const Graph& graph, unsigned seed,
                            std::vector<Tensor> given) {
  Random random(seed);
  Names floats;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    if (i >= given.size()) given.push_back(drawn_input(value, random));
    if (is_floating(value.dtype)) floats.push_back(value.name);
  }
  add(what, graph, given, floats);
}

ModelCheck model_check(const std::string& what, const Graph& graph,
                       const std::vector<Tensor>& inputs, const Names& wanted) {
  const Graph plain = expand_ops(graph);
  const double tolerance = tolerance_of(plain);
  const std::vector<Tensor> outputs = interpret(plain, inputs);
  ExportedModel model = exported(graph, inputs, wanted);
  const GeneratedCall forward{what, inputs, outputs, tolerance};

  DifferentiateOptions options{.outputs = {}, .wanted = wanted};
  std::vector<Tensor> given = inputs;
  Random random(1);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!is_floating(outputs[i].dtype())) continue;
    options.outputs.push_back(graph.outputs()[i].name);
    model.gradient_of.push_back(i);
    given.push_back(random_direction(outputs[i].dims(), random).to(outputs[i].dtype()));
  }
  if (wanted.empty() || options.outputs.empty()) return {model, forward};
  try {
    const Graph backward = expand_ops(differentiate(plain, options));
    model.gradients = run_passes(backward);
    GeneratedCall call{what + ", gradients", given, interpret(backward, given), tolerance};
    return {model, forward, std::move(call)};
  } catch (const GradientError&) {
    return {exported(graph, inputs, {}), forward};
  }
}

void ModelChecks::run(const CompilerChoice& choice) {
  for (const std::string& refusal : refusals_) MESSAGE(refusal);
  CHECK(refusals_.empty());
  std::vector<std::string> found = compilers();
  if (found.empty()) skip("there is no C++ compiler");
  found.resize(std::min(found.size(), choice.most_compilers));
  for (const std::string& compiler : found) {
    const std::vector<std::string> complaints = models_.complaints(compiler, choice.flags);
    for (const std::string& complaint : complaints) MESSAGE(complaint);
    CHECK_MESSAGE(complaints.empty(), (compiler + " " + choice.flags));
    table_results.passed += models_.calls() - std::min(models_.calls(), complaints.size());
    fmt::print("generated C++: {} calls built with {}\n", models_.calls(), compiler);
  }
}

}  // namespace mithril::tests
