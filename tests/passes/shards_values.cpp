// Sharded training graphs compute what the whole graph computes.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/training_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/passes/lockstep.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using Axes = std::vector<std::pair<std::string, size_t>>;

struct Step {
  Graph graph;
  ShardOptions options = {};
  size_t outputs = 0;  // before those of the update
};

// Inputs with the word "data" in their names are data. `axes`: of parameters. The memory of the
// other parameters is shared along their first axis.
Step step_of(const std::string& text, const Axes& axes, const Optimizer& optimizer,
             const TrainingOptions& how = {}) {
  const Graph forward = run_passes(parse_graph(text));
  DifferentiateOptions options{.outputs = {"cost"}, .wanted = {}};
  std::vector<TrainedParameter> parameters;
  for (size_t i = 0; i < forward.inputs().size(); ++i) {
    const Value& value = forward.value(forward.inputs()[i]);
    if (value.name.starts_with("data")) continue;
    options.wanted.push_back(value.name);
    parameters.push_back({i, {}});
  }
  Graph gradients = run_passes(differentiate(forward, options));
  const TrainingGraph training =
      training_graph(std::move(gradients), parameters, optimizer, how, StepPart::whole);
  Step step{.graph = run_passes(training.graph)};
  const auto axis_of = [&](const std::string& name) -> std::optional<size_t> {
    for (const auto& [parameter, axis] : axes) {
      if (name == parameter || name.starts_with("optimizer." + parameter + ".")) return axis;
    }
    return std::nullopt;
  };
  for (const ValueId id : step.graph.inputs()) {
    const Value& value = step.graph.value(id);
    const bool memory = value.name.starts_with("optimizer.") && !value.dims.empty();
    std::optional<size_t> axis;
    if (!value.dims.empty() && !value.name.starts_with("data")) axis = axis_of(value.name);
    step.options.input_axes.push_back(memory && !axis ? std::optional<size_t>(0) : axis);
  }
  step.options.output_axes.resize(step.graph.outputs().size());
  for (const Donation& donation : training.donations)
    step.options.output_axes[donation.output] = step.options.input_axes[donation.input];
  return step;
}

std::vector<Tensor> step_inputs(const Graph& graph) {
  std::vector<Tensor> inputs;
  double next = 0.3;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    Dims dims;
    for (const Dim& dim : value.dims)
      dims.push_back(resolve(dim).is_constant() ? resolve(dim).constant() : 5);
    Tensor tensor(DType::float64, dims);
    for (double& element : tensor.mutable_values<double>()) {
      next = std::fmod(next * 1.7 + 0.61, 1.0);
      element = is_integer(value.dtype) ? std::floor(next * 4) : next - 0.1;
    }
    inputs.push_back(tensor.to(value.dtype));
  }
  return inputs;
}

void check_step(const Step& step) {
  const std::vector<Tensor> inputs = step_inputs(step.graph);
  const std::vector<Tensor> expected = interpret(step.graph, inputs);
  for (const int size : {1, 2, 4}) {
    const std::vector<Tensor> got = run_sharded(step.graph, step.options, size, inputs);
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(size);
      CAPTURE(step.graph.outputs()[i].name);
      CHECK(difference(got[i], expected[i], 1e-12) == "");
    }
  }
}

// Process r of a grid has rows r / columns and blocks r % columns.
void check_grid(const Step& step, size_t rows, size_t columns) {
  const std::vector<Tensor> inputs = step_inputs(step.graph);
  const std::vector<Tensor> expected = interpret(step.graph, inputs);
  PlacementOptions placing{.group = "rows"};
  for (const ValueId id : step.graph.inputs())
    placing.sharded_inputs.push_back(step.graph.value(id).name.starts_with("data"));
  const std::vector<PlacedGraph> placed = place_all(step.graph, placing, static_cast<int>(rows));
  const std::vector<std::vector<Tensor>> parts = cut(placed, inputs);
  std::vector<PlacedGraph> all;
  std::vector<std::vector<Tensor>> inputs_of_all;
  GroupsByName groups;
  groups["rows"].resize(columns);
  groups["columns"].resize(rows);
  for (size_t row = 0; row < rows; ++row) {
    ShardOptions sharding = step.options;
    sharding.group = "columns";
    sharding.row_inputs = placing.sharded_inputs;
    const std::vector<PlacedGraph> own =
        shard_all(placed[row].graph, sharding, static_cast<int>(columns));
    const std::vector<std::vector<Tensor>> blocks = cut_blocks(own, parts[row]);
    for (size_t column = 0; column < columns; ++column) {
      groups["rows"][column].push_back(all.size());
      groups["columns"][row].push_back(all.size());
      all.push_back(own[column]);
      inputs_of_all.push_back(blocks[column]);
      verify(all.back().graph);
    }
  }
  const std::vector<std::vector<Tensor>> outputs = run_lockstep(all, inputs_of_all, groups);
  for (size_t row = 0; row < rows; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * columns);
    const auto last = first + static_cast<std::ptrdiff_t>(columns);
    const std::vector<Tensor> got = join({all.begin() + first, all.begin() + last},
                                         {outputs.begin() + first, outputs.begin() + last});
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(row);
      CAPTURE(step.graph.outputs()[i].name);
      CHECK(difference(got[i], expected[i], 1e-12) == "");
    }
  }
}

size_t exchanged_values(const Step& step) {
  ShardOptions options = step.options;
  options.size = 2;
  return shard(step.graph, options).collectives.size();
}

constexpr const char* perceptron = R"(graph {
  default float64
  input data: float64[N, 3]
  input v: float64[8, 3]
  input b: float64[8]
  input w: float64[4, 8]
  input c: float64[4]
  h: float64[N, 8] = linear(input: data, weight: v, bias: b)
  t: float64[N, 8] = tanh(input: h)
  y: float64[N, 4] = linear(input: t, weight: w, bias: c)
  s: float64[N, 4] = multiply(left: y, right: y)
  cost: float64[] = mean(input: s)
  output cost = cost
})";

// Attention of four heads. Its keys and values share a weight.
constexpr const char* attention = R"(graph {
  default float64
  input data: float64[N, 3, 8]
  input q: float64[8, 8]
  input k: float64[8, 8]
  input o: float64[8, 8]
  q1: float64[N, 3, 8] = linear(input: data, weight: q)
  q2: float64[N, 3, 4, 2] = reshape(input: q1, shape: (-1, 3, 4, 2))
  q3: float64[N, 4, 3, 2] = swapaxes(input: q2, axis1: 1, axis2: 2)
  k1: float64[N, 3, 8] = linear(input: data, weight: k)
  k2: float64[N, 3, 4, 2] = reshape(input: k1, shape: (-1, 3, 4, 2))
  k3: float64[N, 4, 3, 2] = swapaxes(input: k2, axis1: 1, axis2: 2)
  a: float64[N, 4, 3, 2] = scaled_dot_product(query: q3, key: k3, value: k3)
  a1: float64[N, 3, 4, 2] = swapaxes(input: a, axis1: 1, axis2: 2)
  a2: float64[N, 3, 8] = reshape(input: a1, shape: (-1, 3, 8))
  y: float64[N, 3, 8] = linear(input: a2, weight: o)
  r: float64[N, 3, 8] = add(left: y, right: data)
  s: float64[N, 3, 8] = multiply(left: r, right: r)
  cost: float64[] = sum(input: s)
  output cost = cost
})";

}  // namespace

TEST_CASE("a step with shared memory of the optimizer is that of one process") {
  check_step(step_of(perceptron, {}, SGD({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01})));
  const Step adam = step_of(perceptron, {}, AdamW());
  check_step(adam);
  CHECK(exchanged_values(adam) == 4);  // the parameters
  check_step(step_of(perceptron, {}, Adam(), {.max_norm = 0.1, .max_value = 0.05}));
  check_step(step_of(perceptron, {}, Adam(), {.average = EMA{0.9}}));
}

TEST_CASE("a step with shared weights is that of one process") {
  const Axes halves = {{"v", 0}, {"b", 0}, {"w", 1}};
  const Step step = step_of(perceptron, halves, AdamW());
  check_step(step);
  CHECK(exchanged_values(step) == 2);  // the outputs of the second map, and the parameter c
  check_step(step_of(perceptron, halves, AdamW(), {.max_norm = 0.1, .average = EMA{0.9}}));
  check_step(step_of(perceptron, {{"v", 0}, {"w", 0}}, AdamW()));
  check_step(step_of(perceptron, {{"w", 1}}, SGD()));
}

TEST_CASE("the heads of an attention are shared") {
  const Step step = step_of(attention, {{"q", 0}, {"k", 0}, {"o", 1}}, AdamW());
  check_step(step);
  CHECK(exchanged_values(step) == 1);  // the outputs of the last map
  check_step(step_of(attention, {{"q", 1}, {"k", 0}, {"o", 0}}, SGD({.momentum = 0.9})));
}

TEST_CASE("a grid of processes shares rows and weights") {
  check_grid(step_of(perceptron, {{"v", 0}, {"b", 0}, {"w", 1}}, AdamW(), {.max_norm = 0.1}), 2, 2);
  check_grid(step_of(perceptron, {}, SGD({.momentum = 0.9})), 3, 4);
  check_grid(step_of(attention, {{"q", 0}, {"k", 0}, {"o", 1}}, AdamW()), 2, 4);
}

}  // namespace mithril::tests
