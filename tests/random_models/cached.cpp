// Random models from the cache: the same graphs and the same bits as without.
#include <doctest/doctest.h>

#include <stdexcept>

#include "mithril/compile/graph_cache.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/compile/cache_folder.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/generator.hpp"
#include "tests/random_models/gradients.hpp"
#include "tests/table/generate.hpp"

namespace mithril::tests {
namespace {

struct Graphs {
  Graph forward, both;
};

// Composes the model again, as another process would.
class Lowering {
 public:
  Lowering(const RandomModel& random, bool shapes)
      : source_(flatten(compose(random, {.shapes = shapes}), DType::float64).graph) {}

  Graphs without() const {
    Graph forward = optimised();
    return {forward, with_gradient(forward)};
  }
  Graphs with(const GraphCache& cache, bool may_make) const {
    const auto checked = [&](const std::function<Graph()>& make) {
      if (!may_make) throw std::logic_error("it is not in the cache");
      return make();
    };
    const auto any_graph = [](const Graph&) { return true; };
    Graph forward = cache.find_or_make(
        source_, "optimised", [&] { return checked([&] { return optimised(); }); }, any_graph);
    Graph both = cache.find_or_make(
        forward, "gradient", [&] { return checked([&] { return with_gradient(forward); }); },
        any_graph);
    return {std::move(forward), std::move(both)};
  }

 private:
  Graph optimised() const { return run_passes(source_, {.verify = false}); }

  static Graph with_gradient(const Graph& forward) {
    const DifferentiateOptions options = all_gradients(forward);
    try {
      return run_passes(differentiate(forward, options), {.verify = false});
    } catch (const GradientError&) {
      return forward;  // an op on the way has no gradient
    }
  }

  const Graph source_;
};

std::vector<Tensor> inputs_for(const Graph& graph, const RandomModel& random) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    for (const auto& [name, spec] : random.inputs) {
      if (name == value.name) inputs.push_back(generate({spec.as(value.dtype)}, random.seed)[0]);
    }
  }
  return inputs;
}

// Returns no tensors if the inputs do not fit, or an op refuses them.
std::vector<Tensor> run_cached(const Graph& graph, const std::vector<Tensor>& inputs) {
  try {
    return interpret(graph, inputs);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

TEST_CASE("random models from the cache are the graphs that are made without it") {
  const CacheFolder folder;
  const GraphCache cache{CacheFiles(folder.path())};
  size_t compared = 0;
  const std::uint64_t model_count = sampled(80, 400);
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  for (std::uint64_t seed = first; seed < first + model_count; ++seed) {
    CAPTURE(seed);
    const RandomModel random = random_model(seed);
    const bool shapes = seed % 3 != 0;
    const Graphs expected = Lowering(random, shapes).without();
    Lowering(random, shapes).with(cache, true);
    const Graphs got = Lowering(random, shapes).with(cache, false);
    CHECK(got.forward == expected.forward);
    CHECK(got.both == expected.both);
    CHECK(to_string(got.both) == to_string(expected.both));
    verify(got.both);
    const std::vector<Tensor> inputs = inputs_for(expected.forward, random);
    const std::vector<Tensor> wanted = run_cached(expected.forward, inputs);
    const std::vector<Tensor> made = run_cached(got.forward, inputs);
    REQUIRE(made.size() == wanted.size());
    for (size_t i = 0; i < made.size(); ++i) CHECK(identical(made[i], wanted[i]));
    compared += !made.empty();
  }
  CHECK(compared > model_count / 2);
}

}  // namespace mithril::tests
