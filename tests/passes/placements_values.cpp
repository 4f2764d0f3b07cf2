// Placed training graphs compute what the whole graph computes on the whole batch.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/training_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/infer/dim.hpp"
#include "mithril/optim/optimizers.hpp"
#include "mithril/passes/pipeline.hpp"
#include "mithril/passes/placements/batch_rows.hpp"
#include "tests/passes/lockstep.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

struct Training {
  Graph graph;
  PlacementOptions options = {};
};

// The first `data` inputs are data. The others are parameters; the output `cost` is minimised.
Training trained_by(const std::string& text, size_t data, const Optimizer& optimizer,
                    const TrainingOptions& how = {}, StepPart part = StepPart::whole) {
  const Graph forward = run_passes(parse_graph(text));
  DifferentiateOptions options{.outputs = {"cost"}, .wanted = {}};
  std::vector<TrainedParameter> parameters;
  for (size_t i = data; i < forward.inputs().size(); ++i) {
    const Value& value = forward.value(forward.inputs()[i]);
    if (!is_floating(value.dtype)) continue;  // a key
    options.wanted.push_back(value.name);
    parameters.push_back({i, {}});
  }
  Graph gradients = run_passes(differentiate(forward, options));
  const TrainingGraph training =
      training_graph(std::move(gradients), parameters, optimizer, how, part);
  Training result{run_passes(training.graph)};
  result.options.sharded_inputs.assign(data, true);
  result.options.partial_inputs.resize(result.graph.inputs().size());
  result.options.partial_outputs.resize(result.graph.outputs().size());
  for (size_t i = 0; i < result.graph.inputs().size(); ++i) {
    const std::string& name = result.graph.value(result.graph.inputs()[i]).name;
    result.options.partial_inputs[i] = name.ends_with(".gradient_sum");
  }
  for (const Donation& donation : training.donations)
    result.options.partial_outputs[donation.output] = result.options.partial_inputs[donation.input];
  return result;
}

std::vector<Tensor> numbers_for(const Graph& graph, int64_t rows) {
  std::vector<Tensor> inputs;
  double next = 0.3;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    Dims dims;
    Sizes sizes;
    for (const Dim& dim : value.dims) {
      for (Symbol* leaf : leaves_of(dim)) sizes.emplace(leaf, rows);
      dims.push_back(*evaluate(dim, sizes));
    }
    Tensor tensor(DType::float64, dims);
    for (double& element : tensor.mutable_values<double>()) {
      next = std::fmod(next * 1.7 + 0.61, 1.0);
      element = is_integer(value.dtype) ? std::floor(next * 4) : next - 0.1;
    }
    inputs.push_back(tensor.to(value.dtype));
  }
  return inputs;
}

// Compares groups of 2 to 5 processes with one, for batches with more and fewer rows than them.
void check_values(const Training& training, const std::vector<int64_t>& batches = {7, 2}) {
  for (const int64_t rows : batches) {
    const std::vector<Tensor> inputs = numbers_for(training.graph, rows);
    const std::vector<Tensor> expected = interpret(training.graph, inputs);
    for (const int size : {1, 2, 3, 5}) {
      const std::vector<Tensor> got = run_placed(training.graph, training.options, size, inputs);
      for (size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(rows);
        CAPTURE(size);
        CAPTURE(training.graph.outputs()[i].name);
        CHECK(difference(got[i], expected[i], 1e-12) == "");
      }
    }
  }
}

// The number of values that a group reduces, and of exchanges, without those of rows.
struct Exchanged {
  size_t values = 0, buckets = 0;
};
Exchanged exchanged(const Training& training) {
  PlacementOptions options = training.options;
  options.size = 2;
  const PlacedGraph placed = place(training.graph, options);
  std::vector<size_t> buckets;
  for (const Collective& collective : placed.collectives) {
    if (collective.path == "rows") continue;
    buckets.push_back(collective.bucket);
  }
  Exchanged result{.values = buckets.size()};
  buckets.erase(std::unique(buckets.begin(), buckets.end()), buckets.end());
  result.buckets = buckets.size();
  return result;
}

constexpr const char* regression_graph = R"(graph {
  default float64
  input x: float64[N, 3]
  input t: float64[N, 2]
  input w: float64[3, 2]
  input b: float64[2]
  h: float64[N, 2] = matmul(left: x, right: w)
  y: float64[N, 2] = add(left: h, right: b)
  e: float64[N, 2] = subtract(left: y, right: t)
  s: float64[N, 2] = multiply(left: e, right: e)
  cost: float64[] = mean(input: s)
  output cost = cost
})";

}  // namespace

TEST_CASE("a regression has the same updates on any number of processes") {
  const Training training = trained_by(regression_graph, 2, SGD({.lr = 0.1}));
  check_values(training);
  CHECK(exchanged(training).buckets == 1);
  CHECK(exchanged(training).values == 3);
  check_values(trained_by(regression_graph, 2, Adam()));
  CHECK(exchanged(trained_by(regression_graph, 2, Adam())).values == 3);
  check_values(
      trained_by(regression_graph, 2, SGD({.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01})));
}

TEST_CASE("clipping reads whole gradients") {
  check_values(trained_by(regression_graph, 2, Adam(), {.max_norm = 0.1}));
  check_values(trained_by(regression_graph, 2, Adam(), {.max_norm = 0.1, .max_value = 0.05}));
  CHECK(exchanged(trained_by(regression_graph, 2, Adam(), {.max_norm = 0.1})).buckets == 1);
}

TEST_CASE("accumulated gradients are exchanged once for each update") {
  const TrainingOptions how{.accumulate = 3};
  const Training adding = trained_by(regression_graph, 2, Adam(), how, StepPart::accumulate);
  check_values(adding);
  CHECK(exchanged(adding).values == 1);  // the cost
  const Training last = trained_by(regression_graph, 2, Adam(), how, StepPart::finish);
  check_values(last);
  CHECK(exchanged(last).values == 3);
}

TEST_CASE("tied weights and regularisers are exchanged once") {
  const Training training = trained_by(R"(graph {
    default float64
    input x: float64[N, 3]
    input w: float64[3, 3]
    h: float64[N, 3] = matmul(left: x, right: w)
    a: float64[N, 3] = tanh(input: h)
    y: float64[N, 3] = matmul(left: a, right: w)
    m: float64[] = mean(input: y)
    q: float64[3, 3] = multiply(left: w, right: w)
    r: float64[] = sum(input: q)
    cost: float64[] = add(left: m, right: r)
    output cost = cost
  })",
                                       1, Adam());
  check_values(training);
  CHECK(exchanged(training).values == 2);
  const TrainingOptions how{.accumulate = 3};
  for (const StepPart part : {StepPart::accumulate, StepPart::finish}) {
    const Training accumulated = trained_by(R"(graph {
      default float64
      input x: float64[N, 3]
      input w: float64[3, 3]
      h: float64[N, 3] = matmul(left: x, right: w)
      m: float64[] = mean(input: h)
      q: float64[3, 3] = multiply(left: w, right: w)
      r: float64[] = sum(input: q)
      cost: float64[] = add(left: m, right: r)
      output cost = cost
    })",
                                            1, Adam(), how, part);
    check_values(accumulated);
    CHECK(exchanged(accumulated).values == (part == StepPart::accumulate ? 1 : 2));
  }
}

TEST_CASE("losses over chosen rows divide two sums over the batch") {
  check_values(trained_by(R"(graph {
    default float64
    input x: float64[N, 4, 3]
    input mask: bool[N, 4]
    input w: float64[3, 3]
    h: float64[N, 4, 3] = matmul(left: x, right: w)
    l: float64[N, 4] = sum(input: h, axis: 2)
    q: float64[N, 4] = multiply(left: l, right: l)
    k: float64[N, 4] = where(cond: mask, input1: q, input2: 0.0)
    total: float64[] = sum(input: k)
    ones: int64[N, 4] = cast(input: mask, dtype: int64)
    count: int64[] = sum(input: ones)
    cost: float64[] = divide(numerator: total, denominator: count)
    output cost = cost
  })",
                          2, SGD()));
}

TEST_CASE("a batch norm has the statistics of the whole batch") {
  const Training training = trained_by(R"(graph {
    default float64
    input x: float64[N, 3, 5]
    input w: float64[3]
    input b: float64[3]
    input rm: float64[3]
    input rv: float64[3]
    y: float64[N, 3, 5], mean: float64[3], rstd: float64[3], nm: float64[3], nv: float64[3] = batch_norm_training(input: x, running_mean: rm, running_var: rv, weight: w, bias: b)
    t: float64[N, 3, 5] = tanh(input: y)
    z: float64[N, 3, 5], mean2: float64[3], rstd2: float64[3], nm2: float64[3], nv2: float64[3] = batch_norm_training(input: t, running_mean: rm, running_var: rv)
    u: float64[N, 3, 5] = tanh(input: z)
    cost: float64[] = mean(input: u)
    output cost = cost
    output nm = nm
    output nv = nv
  })",
                                       1, SGD());
  check_values(training);
}

TEST_CASE("batch norms of one shape read what each of them names") {
  const Training training = trained_by(R"(graph {
    default float64
    input x: float64[N, 3]
    input w: float64[3]
    input b: float64[3]
    input rm: float64[3]
    input rv: float64[3]
    y: float64[N, 3], mean: float64[3], rstd: float64[3], nm: float64[3], nv: float64[3] = batch_norm_training(input: x, running_mean: rm, running_var: rv, weight: w, bias: w)
    t: float64[N, 3] = tanh(input: y)
    z: float64[N, 3], mean2: float64[3], rstd2: float64[3], nm2: float64[3], nv2: float64[3] = batch_norm_training(input: t, running_mean: rm, running_var: rv, weight: w, bias: b)
    u: float64[N, 3] = exp(input: z)
    a: float64[N, 3], mean3: float64[3], rstd3: float64[3], nm3: float64[3], nv3: float64[3] = batch_norm_training(input: u, running_mean: nm, running_var: nv2, weight: b, bias: w)
    v: float64[N, 3] = tanh(input: a)
    cost: float64[] = mean(input: v)
    output cost = cost
    output nm = nm3
    output nv = nv3
  })",
                                       1, SGD());
  check_values(training);
}

TEST_CASE("a batch norm of one row or none has running statistics") {
  const Training training = trained_by(R"(graph {
    default float64
    input x: float64[N, 3]
    input w: float64[3]
    input rm: float64[3]
    input rv: float64[3]
    y: float64[N, 3], mean: float64[3], rstd: float64[3], nm: float64[3], nv: float64[3] = batch_norm_training(input: x, running_mean: rm, running_var: rv, weight: w)
    u: float64[N, 3] = tanh(input: y)
    cost: float64[] = sum(input: u)
    output cost = cost
    output nm = nm
    output nv = nv
  })",
                                       1, SGD());
  check_values(training, {1, 0});
}

TEST_CASE("variances and their gradients are those of the whole batch") {
  const std::pair<std::string, std::string> reductions[] = {
      {"0", "1, 4, 3"}, {"None", "1, 1, 1"}, {"(0, 2)", "1, 4, 1"}, {"1", "N, 1, 3"}};
  for (const auto& [axis, dims] : reductions) {
    for (const std::string correction : {"0.0", "1"}) {
      check_values(trained_by(
          "graph {\n default float64\n input x: float64[N, 4, 3]\n"
          " input w: float64[3]\n"
          " h: float64[N, 4, 3] = multiply(left: x, right: w)\n"
          " v: float64[" +
              dims + "] = variance(input: h, axis: " + axis + ", correction: " + correction +
              ", keepdim: True)\n q: float64[" + dims + "] = tanh(input: v)\n" +
              " cost: float64[] = mean(input: q)\n output cost = cost\n}",
          1, SGD()));
    }
  }
}

TEST_CASE("dropout masks belong to the rows of the batch") {
  check_values(trained_by(R"(graph {
    default float64
    input x: float64[N, 4, 3]
    input w: float64[3]
    input key: int64[]
    h: float64[N, 4, 3] = multiply(left: x, right: w)
    u: float64[N, 4, 3] = random_uniform(like: x, key: key)
    keep: bool[N, 4, 3] = greater(left: u, right: 0.5)
    d: float64[N, 4, 3] = where(cond: keep, input1: h, input2: 0.0)
    f: float64[4*N, 3] = reshape(input: d, shape: (-1, 3))
    f0: float64[4*N, 3] = reshape(input: x, shape: (-1, 3))
    u2: float64[4*N, 3] = random_uniform(like: f0, key: key)
    g: float64[4*N, 3] = multiply(left: f, right: u2)
    cost: float64[] = mean(input: g)
    output cost = cost
  })",
                          1, SGD()));
}

TEST_CASE("a number of rows means those of the whole batch") {
  check_values(trained_by(R"(graph {
    default float64
    input x: float64[N, 3]
    input w: float64[3]
    h: float64[N, 3] = multiply(left: x, right: w)
    s: float64[] = sum(input: h)
    n: int64[] = to_tensor(input: 2*N + 1)
    a: float64[] = divide(numerator: s, denominator: N)
    b: float64[] = multiply(left: a, right: n)
    r: float64[N, 3] = divide(numerator: h, denominator: 3*N)
    c: float64[] = sum(input: r)
    cost: float64[] = add(left: b, right: c)
    output cost = cost
  })",
                          1, SGD()));
}

TEST_CASE("the largest of all rows, and its gradient") {
  for (const std::string op : {"max", "min"}) {
    check_values(
        trained_by("graph {\n default float64\n input x: float64[N, 4, 3]\n"
                   " input w: float64[3]\n"
                   " h: float64[N, 4, 3] = multiply(left: x, right: w)\n"
                   " m: float64[3] = " +
                       op +
                       "(input: h, axis: (0, 1))\n"
                       " cost: float64[] = sum(input: m)\n output cost = cost\n}",
                   1, SGD()));
  }
}

}  // namespace mithril::tests
