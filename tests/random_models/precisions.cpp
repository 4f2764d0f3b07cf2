// Random models and their gradients in float32 and float64, on every instruction set of this
// processor: as exact as the reference in float64 says that rounding allows.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "backends/cpu/cpu.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/random_models/nudged.hpp"

namespace mithril::tests {
namespace {

using Numbers = std::vector<Tensor>;

// Returns the graph, with the gradients of float outputs if there are any.
Graph graph_in(DType dtype, const RandomModel& random) {
  const Graph forward = flatten(compose(random), dtype).graph;
  try {
    return differentiate(forward, all_gradients(forward));
  } catch (const GradientError&) {
    return forward;  // an op on the way has no gradient
  }
}

// Floats are rounded to float32 and then given in the dtype of the graph, so that both precisions
// begin with the same numbers.
Numbers inputs_in(const Graph& graph, const RandomModel& random) {
  Numbers inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    TensorSpec spec = normal({});
    for (const Dim& dim : value.dims) spec.dims.push_back(dim.constant());
    for (const auto& [name, given] : random.inputs) {
      if (name == value.name) spec = given;
    }
    const DType drawn = is_floating(value.dtype) ? DType::float32 : value.dtype;
    inputs.push_back(generate({spec.as(drawn)}, random.seed)[0].to(value.dtype));
  }
  return inputs;
}

// Returns nothing if an op refuses the inputs.
template <typename Call>
std::optional<Numbers> unless_refused(Call call) {
  try {
    return call();
  } catch (const Error&) {
    return std::nullopt;
  }
}

double distance(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double x = a.at_as_double(i), y = b.at_as_double(i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double apart = std::abs(x - y);
    largest =
        std::max(largest, std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart);
  }
  return largest;
}

double largest_number(const Numbers& tensors) {
  double largest = 0;
  for (const Tensor& tensor : tensors) {
    for (std::int64_t i = 0; i < tensor.size(); ++i)
      largest = std::max(largest, std::abs(tensor.at_as_double(i)));
  }
  return largest;
}

double epsilon_of(DType dtype) {
  return dtype == DType::float32 ? std::numeric_limits<float>::epsilon()
                                 : std::numeric_limits<double>::epsilon();
}

// The graph with the numbers in its arguments rounded to float32.
Graph with_float32_numbers(const Graph& graph) {
  Rebuilder rebuilder(graph);
  for (const Node& node : graph.nodes()) {
    Node rounded = rebuilder.map_arguments(node);
    for (Argument& argument : rounded.arguments) {
      const auto* datum = std::get_if<Datum>(&argument);
      if (datum && datum->kind() == kind::float_value)
        argument = Datum(static_cast<double>(static_cast<float>(datum->real())));
    }
    rebuilder.add(std::move(rounded), node.outputs);
  }
  return rebuilder.finish();
}

// The results of the reference in float64, and their changes by rounding to a precision.
class Expected {
 public:
  // False if an op refuses the inputs, or if numbers leave the range of float32.
  bool make(const RandomModel& random) {
    graph_ = graph_in(DType::float64, random);
    inputs_ = inputs_in(graph_, random);
    seed_ = random.seed;
    auto made = unless_refused([&] { return interpret(expand_ops(graph_), inputs_); });
    if (!made) return false;
    results_ = std::move(*made);
    constexpr double most = 1e15;  // squares of these are in the range of float32
    return largest_number(results_) < most;
  }

  // Returns the spread of each result between runs with relative errors of `epsilon` at every
  // value, and with numbers of that precision. Returns nothing if an op refuses such a run: its
  // sizes depend on rounding.
  std::optional<std::vector<double>> spreads(DType dtype) const {
    std::vector<double> spreads(results_.size());
    const auto compare = [&](const Graph& graph, const Numbers& inputs) {
      const auto beside = unless_refused([&] { return interpret(expand_ops(graph), inputs); });
      for (size_t k = 0; beside && k < spreads.size(); ++k)
        spreads[k] = std::max(spreads[k], distance((*beside)[k], results_[k]));
      return beside.has_value();
    };
    // Inputs are float32 already: 0.1 may equal one of them in float32 alone.
    if (dtype == DType::float32 && !compare(with_float32_numbers(graph_), inputs_)) return {};
    Random random(seed_);
    const double epsilon = epsilon_of(dtype);
    constexpr int tries = 6;
    for (int i = 0; i < tries; ++i) {
      Numbers inputs;
      for (const Tensor& input : inputs_) inputs.push_back(nudged(input, epsilon, random));
      if (!compare(nudged(graph_, epsilon, random), inputs)) return {};
    }
    return spreads;
  }

  const Graph& graph() const { return graph_; }
  const Numbers& results() const { return results_; }

 private:
  Graph graph_;
  Numbers inputs_, results_;
  std::uint64_t seed_ = 0;
};

struct Counts {
  size_t models = 0, of_open_sizes = 0;
  size_t compared = 0, undecided = 0;  // results
};

void check_precision(const RandomModel& random, const Expected& expected, DType dtype,
                     Counts& counts) {
  const double epsilon = epsilon_of(dtype);
  const auto known = expected.spreads(dtype);
  ++counts.models;
  if (!known) {
    ++counts.of_open_sizes;
    return;
  }
  const std::vector<double>& spreads = *known;
  const Graph graph = run_passes(graph_in(dtype, random));
  const Numbers inputs = inputs_in(graph, random);
  for (const cpu_backend::Instructions set : cpu_backend::present_instructions()) {
    const InstructionsLimit limit(set);
    CAPTURE(cpu_backend::name(set));
    const Numbers got = cpu({.threads = 1})->load(graph, {})->run(inputs);
    REQUIRE(got.size() == spreads.size());
    for (size_t k = 0; k < got.size(); ++k) {
      const Tensor& wanted = expected.results()[k];
      const double size = largest_number({wanted});
      // Rounding decides between two results, as for the slope at a tie.
      if (spreads[k] > 1000 * epsilon * std::max(size, 1.0)) {
        ++counts.undecided;
        continue;
      }
      CAPTURE(graph.outputs()[k].name);
      CHECK(got[k].dims() == wanted.dims());
      CHECK_MESSAGE(distance(got[k], wanted) <= 16 * (spreads[k] + epsilon * size),
                    description(random));
      ++counts.compared;
    }
  }
}

}  // namespace

// MITHRIL_RANDOM_SEED sets the seed of the first model, MITHRIL_RANDOM_MODELS the number of models.
TEST_CASE("random models are exact in both precisions on every instruction set") {
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t last = first + number_from("MITHRIL_RANDOM_MODELS", sampled(25, 120));
  Counts counts;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    CAPTURE(seed);
    const RandomModel random = random_model(seed);
    Expected expected;
    if (!expected.make(random)) continue;
    for (const DType dtype : {DType::float32, DType::float64}) {
      CAPTURE(name(dtype));
      check_precision(random, expected, dtype, counts);
    }
  }
  fmt::print(
      "random models in both precisions: {} results, {} that rounding decides; {} of {} models "
      "have "
      "sizes that rounding decides\n",
      counts.compared, counts.undecided, counts.of_open_sizes, counts.models);
  CHECK(10 * counts.of_open_sizes < counts.models);
  CHECK(counts.compared > 10 * counts.undecided);
}

}  // namespace mithril::tests
