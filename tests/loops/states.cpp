// States of the bodies of loops, worked out by hand. python/tests/loops compares with the same
// steps written out.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/dropout.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/passes/fixed_carries.hpp"
#include "mithril/passes/pipeline.hpp"

namespace mithril::tests {
namespace {

// y = x * (count + 1), and the count goes on.
Model counted_product() {
  const Connection x(IOKey{.name = "x"}), count(IOKey{.name = "count"});
  const Connection next = count + 1.0;
  Model step = Model::create({{"y", x * next}, {"next_count", next}});
  step.expose_keys({"y"});
  step.set_shapes({{"count", {}}});
  return step.bind_state_keys("count", "next_count", Tensor::scalar(0.0f));
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < tensor.size(); ++i) all.push_back(tensor.at_as_double(i));
  return all;
}

TensorMap steps_of_ones(std::int64_t steps) {
  TensorMap data;
  data["x"] = Tensor::full(DType::float64, {steps}, 1);
  return data;
}

}  // namespace

TEST_CASE("a loop keeps the state of its body from step to step and from call to call") {
  const Model loop = Scan(counted_product(), {.sequences = {"x"}, .outputs = {"y"}});
  CHECK(loop.input_keys() == std::vector<std::string>{"x"});
  CHECK(loop.output_keys() == std::vector<std::string>{"y"});
  const CompiledModel model =
      compile(loop, cpu({.dtype = DType::float64}), {.shapes = {{"x", {any}}}});
  const State start = model.initial_state_dict();
  REQUIRE(start.size() == 1);
  CHECK(elements(start.at("model.count")) == std::vector<double>{0});
  const auto [first, state] = model.evaluate({}, steps_of_ones(3), start);
  CHECK(elements(first.at("y")) == std::vector<double>{1, 2, 3});
  CHECK(elements(state.at("model.count")) == std::vector<double>{3});
  const auto [second, last] = model.evaluate({}, steps_of_ones(2), state);
  CHECK(elements(second.at("y")) == std::vector<double>{4, 5});
  CHECK(elements(last.at("model.count")) == std::vector<double>{5});
}

TEST_CASE("in inference a state that no step changes is a value that every step reads") {
  const Graph graph = parse_graph(R"(graph {
    input key: int64[]
    input x: float32[3, 2]
    steps: int64[3] = scan_steps(length: 3)
    carry: int64[] = scan_carry(initial: key, steps: steps)
    item: float32[2] = scan_item(sequence: x, steps: steps)
    stack: float32[3, 2] = scan_stack(input: item, steps: steps, axis: 0, carried: [carry, carry])
    last: int64[] = scan_last(carry: carry, next: carry, steps: steps, carried: [carry, carry])
    output stack = stack
    output last = last
  })");
  CHECK(without_fixed_carries(graph, {}) == graph);
  CHECK(without_fixed_carries(graph, {"key"}) == parse_graph(R"(graph {
    input key: int64[]
    input x: float32[3, 2]
    steps: int64[3] = scan_steps(length: 3)
    item: float32[2] = scan_item(sequence: x, steps: steps)
    stack: float32[3, 2] = scan_stack(input: item, steps: steps, axis: 0, carried: [])
    output stack = stack
    output last = key
  })"));
}

TEST_CASE("inference needs no key of a dropout in a loop") {
  Model step;
  step |= Dropout({.p = 0.5})({{"input", "x"}, {"output", "y"}});
  const Model loop = Scan(step, {.sequences = {"x"}, .outputs = {"y"}});
  const auto backend = cpu({.dtype = DType::float64});
  const CompiledModel training = compile(loop, backend, {.shapes = {{"x", {any}}}});
  CHECK(training.initial_state_dict().size() == 1);
  const CompiledModel inference = training.in_inference();
  CHECK(inference.initial_state_dict().size() == 0);
  CHECK(elements(inference.evaluate({}, steps_of_ones(3)).at("y")) == std::vector<double>{1, 1, 1});
}

TEST_CASE("no gradient flows through the running statistics of a loop") {
  Model step;
  step |= BatchNorm1D()({{"input", "x"}, {"output", "y"}});
  Model loop = Scan(step, {.sequences = {"x"}, .outputs = {"y"}});
  loop.set_shapes({{"x", {5, 3, 4}}});
  const Graph graph =
      run_passes(differentiate(run_passes(flatten(loop, DType::float64).graph),
                               {.outputs = {"y"}, .wanted = {"x", "model.batchnorm1d.weight"}}));
  std::vector<size_t> carries;
  for (const Node& node : graph.nodes()) {
    if (is_scan(node)) carries.push_back(scan_of(node).carries);
  }
  // Forward the two statistics, backward the sum of the gradients of the weight.
  CHECK(carries == std::vector<size_t>{2, 1});
}

TEST_CASE("the reference and the CPU draw the same masks in a loop") {
  Model step;
  step |= Dropout({.p = 0.5})({{"input", "x"}, {"output", "y"}});
  const Model loop = Scan(step, {.sequences = {"x"}, .outputs = {"y"}});
  const CompiledModel model =
      compile(loop, cpu({.dtype = DType::float64}), {.shapes = {{"x", {4}}}});
  const State start = model.initial_state_dict();
  const auto [out, state] = model.evaluate({}, steps_of_ones(4), start);
  Model sized = loop.copy();
  sized.set_shapes({{"x", {4}}});
  const Graph graph = run_passes(flatten(sized, DType::float64).graph);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs())
    inputs.push_back(graph.value(id).name == "x" ? Tensor::full(DType::float64, {4}, 1)
                                                 : start.at("model.dropout.key"));
  const std::vector<Tensor> reference = interpret(graph, inputs);
  CHECK(elements(reference.front()) == elements(out.at("y")));
  CHECK(elements(reference.back()) == elements(state.at("model.dropout.key")));
}

}  // namespace mithril::tests
