// Random models of whose inputs processes hold blocks have the results of one process.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/environment.hpp"
#include "tests/passes/lockstep.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/random_models/shared_model.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

struct ShardTotals {
  int graphs = 0, runs = 0, exchanges = 0, failed = 0;
};

// An axis with a known size that this many processes share.
std::optional<size_t> axis_to_cut(const Value& value, int size, Random& choose) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < value.dims.size(); ++axis) {
    const Dim dim = resolve(value.dims[axis]);
    if (dim.is_constant() && dim.constant() > 0 && dim.constant() % size == 0) axes.push_back(axis);
  }
  if (axes.empty() || choose() % 4 == 0) return std::nullopt;
  return axes[choose() % axes.size()];
}

ShardOptions random_shards(const Graph& graph, int size, Random& choose) {
  ShardOptions options;
  for (const ValueId id : graph.inputs())
    options.input_axes.push_back(axis_to_cut(graph.value(id), size, choose));
  for (const Output& output : graph.outputs())
    options.output_axes.push_back(axis_to_cut(graph.value(output.value), size, choose));
  return options;
}

std::string first_difference_of(const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                                const Graph& graph) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string apart = difference(got[i], expected[i], 1e-9);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return "";
}

void check_shards(const Graph& graph, const std::vector<Tensor>& inputs, const RandomModel& random,
                  Random& choose, ShardTotals& totals) {
  const std::vector<Tensor> expected = interpret(graph, inputs);
  ++totals.graphs;
  for (int size = 1; size <= 8; ++size) {
    const ShardOptions options = random_shards(graph, size, choose);
    std::string apart;
    try {
      apart = first_difference_of(run_sharded(graph, options, size, inputs), expected, graph);
      ++totals.runs;
      const PlacedGraph own = shard(graph, {.size = size, .input_axes = options.input_axes});
      totals.exchanges += static_cast<int>(own.collectives.size());
    } catch (const Error& error) {
      if (error.code() == "E0952") continue;  // the model fits few sizes
      apart = error.what();
    } catch (const std::exception& error) {
      apart = error.what();
    }
    if (apart.empty()) continue;
    ++totals.failed;
    std::string axes;
    for (std::size_t i = 0; i < options.input_axes.size(); ++i) {
      if (options.input_axes[i])
        axes += fmt::format(" {}:{}", graph.value(graph.inputs()[i]).name, *options.input_axes[i]);
    }
    FAIL_CHECK(random.seed << " on " << size << " processes: " << apart << "\n"
                           << axes << "\n"
                           << description(random) << to_string(graph));
    return;
  }
}

void check_sharded_model(const RandomModel& random, ShardTotals& totals) {
  Random choose(random.seed);
  Graph forward;
  try {
    const SharedModel shared = share(random, choose);
    // Without open sizes for every second model.
    const Model model = random.seed % 2 == 0 ? compose(random) : shared.model;
    forward = run_passes(flatten(model, DType::float64).graph);
  } catch (const Error&) {
    return;  // the sizes of the rows do not allow an open axis
  }
  std::vector<Tensor> inputs = values_of(forward, random, choose, {});
  std::vector<Tensor> expected;
  try {
    expected = interpret(forward, inputs);
  } catch (const Error&) {
    return;
  }
  check_shards(forward, inputs, random, choose, totals);
  std::map<std::string, Dims> dims;
  for (std::size_t i = 0; i < expected.size(); ++i)
    dims[forward.outputs()[i].name + ".grad"] = expected[i].dims();
  Graph backward;
  try {
    backward = run_passes(differentiate(forward, all_gradients(forward)));
  } catch (const GradientError&) {
    return;  // an op on the way has no gradient
  }
  inputs = values_of(backward, random, choose, dims);
  check_shards(backward, inputs, random, choose, totals);
}

}  // namespace

// MITHRIL_RANDOM_SEED sets the seed of the first model, MITHRIL_RANDOM_MODELS the number of models.
TEST_CASE("random models have the same results where processes hold blocks of their inputs") {
  ShardTotals totals;
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t last = first + number_from("MITHRIL_RANDOM_MODELS", sampled(20, 60));
  for (std::uint64_t seed = first; seed < last; ++seed)
    check_sharded_model(random_model(seed), totals);
  fmt::print("sharded random models: {} graphs, {} runs, {} exchanges, {} failed\n", totals.graphs,
             totals.runs, totals.exchanges, totals.failed);
  CHECK(totals.failed == 0);
}

}  // namespace mithril::tests
