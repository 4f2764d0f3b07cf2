// Random models whose rows several processes share have the results of one process.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/environment.hpp"
#include "tests/passes/lockstep.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/random_models/shared_model.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

struct Totals {
  int models = 0, graphs = 0, runs = 0, failed = 0;
  std::map<std::string, int> refused;
};

std::string difference_of(const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                          const Graph& graph) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string apart = difference(got[i], expected[i], 1e-9);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return "";
}

void check_graph(const Graph& graph, const SharedModel& shared, const std::vector<Tensor>& inputs,
                 const std::vector<Tensor>& expected, const RandomModel& random, Totals& totals) {
  PlacementOptions options;
  for (const ValueId id : graph.inputs())
    options.sharded_inputs.push_back(shared.sharded.contains(graph.value(id).name));
  for (const int size : {2, 3, 5}) {
    try {
      const std::vector<Tensor> got = run_placed(graph, options, size, inputs);
      ++totals.runs;
      const std::string apart = difference_of(got, expected, graph);
      if (apart.empty()) continue;
      ++totals.failed;
      FAIL_CHECK(random.seed << " on " << size << " processes: " << apart << "\n"
                             << description(random) << to_string(graph));
    } catch (const Error& error) {
      const std::string text = error.what();
      if (!error.code().starts_with("E095")) {
        ++totals.failed;
        FAIL_CHECK(random.seed << " on " << size << " processes: " << text << "\n"
                               << description(random) << to_string(graph));
      } else {
        const std::string message = error.details().message;
        const std::string reason =
            error.details().facts.empty() ? "" : error.details().facts.front().text;
        ++totals.refused[error.code() + " " + message.substr(0, message.find(' ')) + ": " + reason];
      }
    } catch (const std::exception& error) {
      ++totals.failed;
      FAIL_CHECK(random.seed << " on " << size << " processes: " << error.what() << "\n"
                             << description(random) << to_string(graph));
    }
    break;
  }
}

void check_model(const RandomModel& random, Totals& totals) {
  Random choose(random.seed);
  Graph forward;
  SharedModel shared;
  try {
    shared = share(random, choose);
    if (shared.sharded.empty()) return;
    forward = run_passes(flatten(shared.model, DType::float64).graph);
  } catch (const Error&) {
    return;  // the sizes of the rows do not allow an open axis
  }
  ++totals.models;
  std::vector<Tensor> inputs = values_of(forward, random, choose, {});
  std::vector<Tensor> expected;
  try {
    expected = interpret(forward, inputs);
  } catch (const Error&) {
    return;
  }
  ++totals.graphs;
  check_graph(forward, shared, inputs, expected, random, totals);
  std::map<std::string, Dims> dims;
  for (std::size_t i = 0; i < expected.size(); ++i)
    dims[forward.outputs()[i].name + ".grad"] = expected[i].dims();
  Graph backward;
  try {
    backward = run_passes(differentiate(forward, all_gradients(forward)));
  } catch (const GradientError&) {
    return;  // an op on the way has no gradient
  }
  ++totals.graphs;
  inputs = values_of(backward, random, choose, dims);
  check_graph(backward, shared, inputs, interpret(backward, inputs), random, totals);
}

}  // namespace

// MITHRIL_RANDOM_SEED sets the seed of the first model, MITHRIL_RANDOM_MODELS the number of models.
TEST_CASE("random models have the same results where processes share the rows of a batch") {
  Totals totals;
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t last = first + number_from("MITHRIL_RANDOM_MODELS", 60);
  for (std::uint64_t seed = first; seed < last; ++seed) check_model(random_model(seed), totals);
  fmt::print("random models with shared rows: {} models, {} graphs, {} runs, {} failed\n",
             totals.models, totals.graphs, totals.runs, totals.failed);
  for (const auto& [reason, count] : totals.refused)
    fmt::print("  {} refused: {}\n", count, reason);
  CHECK(totals.failed == 0);
}

}  // namespace mithril::tests
