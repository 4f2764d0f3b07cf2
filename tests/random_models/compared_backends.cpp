// ml::compare on random models: a fault in one node of one backend is named, and sound backends
// give no report.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/comparison/compare.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "tests/environment.hpp"
#include "tests/random_models/placed_model.hpp"
#include "tests/skip.hpp"

namespace mithril::tests {
namespace {

constexpr double fault = 1e-2;

bool is_usable(const Tensor& tensor) {
  if (!is_floating(tensor.dtype()) || tensor.size() == 0) return false;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor.at_as_double(i))) return false;
  }
  return true;
}

// The graph with a fault in the node that makes the value y of this name, if it has one: it makes
// y + 0.01 * (1 + |y|).
Graph with_fault(const Graph& graph, const std::string& name) {
  Rebuilder rebuilder(graph);
  for (const Node& node : graph.nodes()) {
    rebuilder.keep(node);
    for (const ValueId id : node.outputs) {
      if (graph.value(id).name != name) continue;
      const auto add = [&](const char* op, std::vector<Argument> arguments) {
        const std::string made =
            name + ".faulty_" + std::to_string(rebuilder.graph().nodes().size());
        return rebuilder.graph().add(find_op(op), std::move(arguments), made).front();
      };
      const ValueId sound = rebuilder.map(id);
      const ValueId size = add("add", {add("abs", {sound}), Datum(1.0)});
      rebuilder.replace(id, add("add", {sound, add("multiply", {size, Datum(fault)})}));
    }
  }
  return rebuilder.finish_whole();
}

// A backend with a fault in one node. It collects the names of the values that it makes.
class FaultyBackend final : public Backend {
 public:
  FaultyBackend(std::shared_ptr<Backend> inner, std::string faulty)
      : inner_(std::move(inner)), faulty_(std::move(faulty)) {}
  std::string_view name() const override { return "faulty"; }
  DType default_dtype() const override { return inner_->default_dtype(); }
  std::vector<std::string> missing(const Graph& graph) const override {
    return inner_->missing(graph);
  }
  std::unique_ptr<Executable> load(const Graph& graph, const LoadOptions& options) override {
    struct Collecting final : Executable {
      std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
        std::vector<Tensor> made = inner->run(inputs);
        for (std::size_t i = 0; i < made.size(); ++i) {
          if (!outputs[i].empty() && is_usable(made[i].host())) names->push_back(outputs[i]);
        }
        return made;
      }
      std::unique_ptr<Executable> inner;
      std::vector<std::string> outputs;  // empty: an input or a constant
      std::vector<std::string>* names = nullptr;
    };
    auto made = std::make_unique<Collecting>();
    made->inner = inner_->load(with_fault(graph, faulty_), options);
    std::set<ValueId> of_nodes;
    for (const Node& node : graph.nodes())
      of_nodes.insert(node.outputs.begin(), node.outputs.end());
    for (const Output& output : graph.outputs()) {
      const bool computed = of_nodes.contains(output.value);
      made->outputs.push_back(computed ? graph.value(output.value).name : "");
    }
    made->names = &names;
    return made;
  }

  std::vector<std::string> names;  // of finite floats

 private:
  std::shared_ptr<Backend> inner_;
  std::string faulty_;
};

// Returns whether the model can be evaluated: some ops refuse numbers of random models.
bool is_evaluable(const PlacedModel& placed, const std::shared_ptr<Backend>& backend) {
  try {
    compile(placed.model, backend, placed.options).evaluate(placed.params, placed.data);
    return true;
  } catch (const ValueError&) {
    return false;
  }
}

std::vector<std::shared_ptr<Backend>> compared_backends(DType dtype) {
  std::vector<std::shared_ptr<Backend>> backends{cpu({.dtype = dtype}),
                                                 cpu({.dtype = dtype, .reference = true})};
  if (has_torch()) backends.push_back(torch({.dtype = dtype}));
  return backends;
}

}  // namespace

TEST_CASE("a fault in one node of one backend is named, with both values") {
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t models = sampled(6, 50);
  std::size_t trials = 0, named = 0;
  for (std::uint64_t seed = first; trials < models; ++seed) {
    const RandomModel random = random_model(seed, placed_parts);
    CAPTURE(description(random));
    const PlacedModel placed(random);
    const auto backends = compared_backends(seed % 2 == 0 ? DType::float32 : DType::float64);
    if (!is_evaluable(placed, backends.front())) continue;
    ++trials;
    const auto inner = backends[seed % backends.size()];
    FaultyBackend sound(inner, "");
    const CompiledModel reference = compile(placed.model, backends.front(), placed.options);
    const auto no_owner = [](Backend*) {};
    compare(reference, {std::shared_ptr<Backend>(&sound, no_owner)}, placed.params, placed.data);
    Random choice(seed);
    const std::string faulty = sound.names[choice() % sound.names.size()];
    CAPTURE(faulty);
    const BackendComparison found =
        compare(reference, {inner, std::make_shared<FaultyBackend>(inner, faulty)}, placed.params,
                placed.data, {.reduce = true});
    CAPTURE(found.text());
    REQUIRE(found.differences.size() == 1);
    const BackendDifference& difference = found.differences.front();
    CHECK(difference.path == faulty);
    CHECK(difference.backend == "faulty");
    CHECK(std::abs(difference.got_element - difference.expected_element) >= 0.99 * fault);
    REQUIRE(difference.reduced.has_value());
    CHECK(difference.reduced->nodes == 1);
    named += difference.path == faulty;
  }
  CHECK(named == models);
}

TEST_CASE("sound backends give no report") {
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  std::size_t models = 0;
  for (std::uint64_t seed = first; models < sampled(6, 50); ++seed) {
    const RandomModel random = random_model(seed, placed_parts);
    CAPTURE(description(random));
    const PlacedModel placed(random);
    const auto backends = compared_backends(seed % 2 == 0 ? DType::float32 : DType::float64);
    if (!is_evaluable(placed, backends.front())) continue;
    ++models;
    const BackendComparison found =
        compare(placed.model, backends, placed.params, placed.data, {}, placed.options);
    CAPTURE(found.text());
    CHECK(found.agrees());
    CHECK(found.nodes > placed_parts / 2);
  }
}

}  // namespace mithril::tests
