// Checkpointing: which values are recomputed, where, and the saved memory.
#include "mithril/passes/recompute.hpp"

#include <doctest/doctest.h>

#include "mithril/eval/plan.hpp"
#include "mithril/eval/size_sources.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/model/flatten.hpp"
#include "mithril/models/linear.hpp"
#include "mithril/models/normalization.hpp"
#include "mithril/models/ops/linear_algebra.hpp"
#include "mithril/models/ops/moving_data.hpp"
#include "mithril/models/ops/shapes.hpp"
#include "mithril/passes/pipeline.hpp"

namespace mithril {
namespace {

Graph gradient_of(const char* text) {
  return differentiate(parse_graph(text), {.outputs = {"y"}, .wanted = {"x"}});
}

// The largest sum of live bytes while the nodes run in order, without inputs.
double planned_peak(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    Dims dims;
    for (const Dim& dim : graph.value(id).dims) dims.push_back(dim.constant());
    inputs.push_back(Tensor::empty(graph.value(id).dtype, dims));
  }
  const SizeSources sizes(graph);
  const Plan plan = make_plan(graph, sizes, inputs);
  std::vector<double> bytes(graph.values().size());
  double now = 0, peak = 0;
  for (const PlannedNode& node : plan.nodes) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const size_t width = size_of(graph.value(node.outputs[i]).dtype);
      bytes[index(node.outputs[i])] =
          static_cast<double>(static_cast<size_t>(element_count(node.output_dims[i])) * width);
      now += bytes[index(node.outputs[i])];
    }
    peak = std::max(peak, now);
    for (const ValueId id : node.released) now -= bytes[index(id)];
  }
  return peak;
}

Connection linear(const Connection& x, int dimension) {
  return Linear({.dimension = dimension})(x);
}

// [batch, tokens, width] through attention with this number of heads, and a perceptron.
Connection transformer_block(Connection x, int tokens, int width, int heads) {
  const auto split = [&](const Connection& part) {
    return part.reshape({-1, tokens, heads, width / heads}).transpose({0, 2, 1, 3});
  };
  const Connection normed = LayerNorm()(x);
  const Connection q = split(linear(normed, width)), k = split(linear(normed, width)),
                   v = split(linear(normed, width));
  const Connection scores = matmul(q, k.transpose({0, 1, 3, 2})) / 4.0;
  const Connection mixed = matmul(apply("softmax", {scores}), v).transpose({0, 2, 1, 3});
  x = x + linear(mixed.reshape({-1, tokens, width}), width);
  return x + linear(apply("gelu", {linear(LayerNorm()(x), 4 * width)}), width);
}

// A training step without the optimizer, of 24 blocks.
Graph transformer_gradient(int batch, int tokens, int width, int heads) {
  Connection x("x");
  Connection y = x;
  for (int i = 0; i < 24; ++i) y = transformer_block(y, tokens, width, heads);
  Model model = Model::create({{"y", y}});
  model.set_shapes({{"x", {batch, tokens, width}}});
  const Graph graph = run_passes(flatten(model, DType::float32).graph);
  DifferentiateOptions options{.outputs = {"y"}, .wanted = {}};
  for (const ValueId id : graph.inputs()) {
    if (graph.value(id).name != "x") options.wanted.push_back(graph.value(id).name);
  }
  return run_passes(differentiate(graph, options));
}

}  // namespace

TEST_CASE("values that the gradient reads inside a segment are recomputed right before it") {
  const Graph again = recompute(gradient_of(R"(graph {
  input x: float32[N]
  a: float32[N] = sin(input: x)
  b: float32[N] = sin(input: a)
  c: float32[N] = sin(input: b)
  y: float32[N] = sin(input: c)
  output y = y
})"),
                                1, {2});
  verify(again);
  CHECK(to_string(again) == R"(graph {
  input x: float32[N]
  input y.grad: float32[N]
  a: float32[N] = sin(input: x)
  b: float32[N] = sin(input: a)
  c: float32[N] = sin(input: b)
  y: float32[N] = sin(input: c)
  grad.y.cos_4: float32[N] = cos(input: c)
  grad.y.multiply_5: float32[N] = multiply(left: y.grad, right: grad.y.cos_4)
  grad.c.cos_6: float32[N] = cos(input: b)
  grad.c.multiply_7: float32[N] = multiply(left: grad.y.multiply_5, right: grad.c.cos_6)
  again.a: float32[N] = sin(input: x)
  grad.b.cos_8: float32[N] = cos(input: again.a)
  grad.b.multiply_9: float32[N] = multiply(left: grad.c.multiply_7, right: grad.b.cos_8)
  grad.a.cos_10: float32[N] = cos(input: x)
  grad.a.multiply_11: float32[N] = multiply(left: grad.b.multiply_9, right: grad.a.cos_10)
  output y = y
  output x.grad = grad.a.multiply_11
}
)");
}

TEST_CASE("outputs are kept, and a value is computed again once for all that read it") {
  const Graph again = recompute(gradient_of(R"(graph {
  input x: float32[N]
  a: float32[N] = exp(input: x)
  b: float32[N] = sin(input: x)
  c: float32[N] = multiply(left: b, right: b)
  d: float32[N] = multiply(left: a, right: c)
  y: float32[N] = sin(input: d)
  output a = a
  output y = y
})"),
                                2, {4});
  verify(again);
  const std::string text = to_string(again);
  CHECK(text.find("again.a") == std::string::npos);
  CHECK(text.find("again.b") == text.rfind("again.b: float32[N] = sin"));
}

TEST_CASE("without cuts the graph stays as it is") {
  const Graph whole = gradient_of(R"(graph {
  input x: float32[N]
  y: float32[N] = sin(input: x)
  output y = y
})");
  CHECK(recompute(whole, 1) == whole);
}

TEST_CASE("the gradient of a deep transformer needs less than two fifths of the memory") {
  const Graph whole = transformer_gradient(4, 32, 64, 4);
  const double peak = planned_peak(recompute(whole, 1)) / planned_peak(whole);
  MESSAGE("planned peak with checkpointing: " << peak);
  CHECK(peak < 0.4);
}

}  // namespace mithril
