// Random models have the same outputs and gradients for any order of composition, with and without
// known shapes and passes, and on every backend.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/recompute.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/random_models/nudged.hpp"
#include "tests/results.hpp"
#include "tests/skip.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/report.hpp"

namespace mithril::tests {
namespace {

using Tensors = std::map<std::string, Tensor>;

Tensors inputs_of(const RandomModel& random) {
  std::vector<TensorSpec> specs;
  for (const auto& [name, spec] : random.inputs) {
    specs.push_back(is_floating(spec.dtype)  ? spec.as(DType::float64)
                    : is_integer(spec.dtype) ? spec.as(DType::int64)
                                             : spec);
  }
  const std::vector<Tensor> tensors = generate(specs, random.seed);
  Tensors inputs;
  for (std::size_t i = 0; i < specs.size(); ++i) inputs.emplace(random.inputs[i].first, tensors[i]);
  return inputs;
}

std::vector<Tensor> in_order(const Graph& graph, const Tensors& given) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) inputs.push_back(given.at(graph.value(id).name));
  return inputs;
}

Tensors run(const Graph& graph, const Tensors& given) {
  const std::vector<Tensor> results = interpret(graph, in_order(graph, given));
  Tensors outputs;
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.emplace(graph.outputs()[i].name, results[i]);
  return outputs;
}

// The graph without optimizations.
Graph plain(const Model& model) { return expand_ops(flatten(model, DType::float64).graph); }
Graph optimised(const Model& model) { return run_passes(flatten(model, DType::float64).graph); }

std::string tensors_difference(const Tensors& got, const Tensors& expected) {
  for (const auto& [name, tensor] : expected) {
    const auto at = got.find(name);
    if (at == got.end()) return name + " is missing";
    const std::string apart = difference(at->second, tensor);
    if (!apart.empty()) return name + ": " + apart;
  }
  return got.size() == expected.size() ? "" : "there are outputs that were not asked for";
}

std::string bits_difference(const Tensors& got, const Tensors& expected) {
  for (const auto& [name, tensor] : expected) {
    if (!identical(got.at(name), tensor)) return name + " is another";
  }
  return "";
}

// Windows of padding only: backends may differ for infinity times padding.
bool has_infinity(const Tensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      if (std::isinf(tensor.at_as_double(i))) return true;
    }
  }
  return false;
}

struct Outcome {
  Tensors outputs;
  std::string refusal;  // the code of the error
};

Outcome outcome(const std::function<Tensors()>& results) {
  try {
    return {results(), ""};
  } catch (const Error& error) {
    return {{}, error.code()};
  }
}

class RandomCheck {
 public:
  RandomCheck(RandomModel random, Report& report)
      : random_(std::move(random)), report_(report), inputs_(inputs_of(random_)) {}

  void run_all() {
    Outcome plainly = outcome([&] { return run(plain(compose(random_)), inputs_); });
    expected_ = std::move(plainly.outputs);
    refusal_ = std::move(plainly.refusal);
    const std::uint64_t order = random_.seed;
    compare("composed in another order", plain, {.order = order});
    compare("composed of models", plain, {.nested = true});
    compare("composed of models in another order", plain, {.nested = true, .order = order});
    compare("composed with empty and constant parts", plain, {.fillers = true});
    compare("composed of models with empty and constant parts in another order", optimised,
            {.nested = true, .order = order, .fillers = true});
    compare("without shapes", plain, {.shapes = false});
    compare("with all passes", optimised, {});
    compare("with all passes, without shapes", optimised, {.shapes = false});
    compare("with all passes and constants", optimised, {.literals = constants()});
    if (!refusal_.empty() || has_infinity(expected_)) return;
    compare_backends("on every backend", plain(compose(random_)), inputs_);
    compare_gradients();
  }

 private:
  // Errors of ops (the largest of no elements) are raised in every setting.
  void compare(const std::string& how, Graph (*lower)(const Model&), const Composing& composing) {
    report_.count(Check::composition, how, [&] {
      Outcome got = outcome([&] { return run(lower(compose(random_, composing)), inputs_); });
      std::erase_if(got.outputs,
                    [](const auto& output) { return output.first.starts_with(constant_filler); });
      if (got.refusal != refusal_)
        return complaint("refused with '" + got.refusal + "', expected '" + refusal_ + "'");
      return complaint(tensors_difference(got.outputs, expected_));
    });
  }

  void compare_backends(const std::string& how, const Graph& graph, const Tensors& inputs) {
    report_.count(Check::composition, how, [&] {
      const std::string apart = backends_difference(graph, in_order(graph, inputs), 1e-10);
      if (apart.empty() || jumps(graph, inputs)) return std::string();
      return complaint(apart + "\n" + to_string(graph));
    });
  }

  // Returns whether rounding decides the result, as for slopes of two results that are equal up to
  // rounding, or for a norm of equal elements.
  bool jumps(const Graph& graph, const Tensors& inputs) const {
    Random random(random_.seed);
    const Tensors here = run(graph, inputs);
    constexpr int tries = 8;
    constexpr double nudge = 1e-11;
    for (int i = 0; i < tries; ++i) {
      Tensors nudged_inputs;
      for (const auto& [name, tensor] : inputs)
        nudged_inputs.emplace(name, nudged(tensor, nudge, random));
      const Tensors beside = run(nudged(graph, nudge, random), nudged_inputs);
      for (const auto& [name, tensor] : here) {
        if (!difference(beside.at(name), tensor, 1e-6).empty()) return true;
      }
    }
    return false;
  }

  std::string complaint(const std::string& apart) const {
    return apart.empty() ? apart : apart + "\n" + description(random_);
  }

  std::vector<Tensor> constants() const {
    std::vector<Tensor> first;
    for (const auto& [name, spec] : random_.inputs) {
      if (first.size() < (random_.inputs.size() + 1) / 2) first.push_back(inputs_.at(name));
    }
    return first;
  }

  void compare_gradients() {
    const Graph forward = plain(compose(random_));
    const DifferentiateOptions options = all_gradients(forward);
    Graph backward;
    try {
      backward = expand_ops(differentiate(forward, options));
    } catch (const GradientError&) {
      return;  // an op on the way has no gradient
    }
    Tensors inputs = inputs_;
    Random random(random_.seed);
    for (const std::string& name : options.outputs) {
      const Tensor& output = expected_.at(name);
      inputs.emplace(name + ".grad", random_direction(output.dims(), random).to(output.dtype()));
    }
    report_.count(Check::composition, "gradients with all passes", [&] {
      return complaint(
          tensors_difference(run(run_passes(backward), inputs), run(backward, inputs)));
    });
    compare_backends("gradients on every backend", backward, inputs);
    report_.count(Check::composition, "gradients with segments computed again", [&] {
      const Graph whole = run_passes(backward);
      const Graph again = recompute(whole, forward.outputs().size(), random_cuts(whole));
      verify(again);
      return complaint(bits_difference(run(again, inputs), run(whole, inputs)));
    });
  }

  std::vector<std::size_t> random_cuts(const Graph& whole) const {
    Random random(random_.seed);
    std::vector<std::size_t> cuts;
    for (std::size_t step = 1; step < whole.nodes().size(); ++step) {
      if (random() % 3 == 0) cuts.push_back(step);
    }
    return cuts;
  }

  RandomModel random_;
  Report& report_;
  Tensors inputs_, expected_;
  std::string refusal_;
};

}  // namespace

// MITHRIL_RANDOM_SEED sets the seed of the first model, MITHRIL_RANDOM_MODELS the number of models.
TEST_CASE("random models have the same results however they are composed and compiled") {
  if (!has_torch()) skip_without_torch();
  Report report;
  std::size_t parts = 0, refusals = 0;
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t last = first + number_from("MITHRIL_RANDOM_MODELS", sampled(100, 1000));
  for (std::uint64_t seed = first; seed < last; ++seed) {
    report.enter(fmt::format("random model {}", seed));
    report.attempt(Check::composition, "", [&] {
      RandomModel random = random_model(seed);
      parts += random.parts.size();
      refusals += random.refusals.size();
      RandomCheck(std::move(random), report).run_all();
    });
  }
  table_results.passed += report.passed();
  table_results.failed += report.failed();
  fmt::print("random models: {}, of {} parts; {} parts were refused\n", report.totals(), parts,
             refusals);
  CHECK(report.failed() == 0);
}

}  // namespace mithril::tests
