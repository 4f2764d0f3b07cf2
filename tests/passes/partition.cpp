#include "mithril/passes/partition.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"

namespace mithril {
namespace {

Graph network_to_cut() {
  return parse_graph(
      "graph {\n"
      "  input x: float64[N, 3]\n"
      "  input w: float64[3, 2]\n"
      "  h: float64[N, 2] = matmul(left: x, right: w)\n"
      "  t: float64[N, 2] = tanh(input: h)\n"
      "  r: float64[N, 2] = relu(input: h)\n"
      "  y: float64[N, 2] = multiply(left: t, right: r)\n"
      "  output y = y\n"
      "  output h = h\n"
      "}");
}

Tensor rising(Dims dims) {
  Tensor tensor(DType::float64, std::move(dims));
  double next = -0.7;
  for (double& element : tensor.mutable_values<double>()) element = next += 0.3;
  return tensor;
}

// Runs the segments one after the other.
std::vector<Tensor> run_segments(const Graph& whole, const std::vector<size_t>& members,
                                 const std::vector<Tensor>& inputs) {
  std::map<ValueId, Tensor> values;
  for (size_t i = 0; i < inputs.size(); ++i) values.emplace(whole.inputs()[i], inputs[i]);
  for (const Constant& constant : whole.constants())
    values.emplace(constant.value, constant.tensor);
  for (const GraphSegment& segment : partition(whole, members)) {
    verify(segment.graph);
    std::vector<Tensor> given;
    for (const ValueId id : segment.inputs) given.push_back(values.at(id));
    const std::vector<Tensor> made = interpret(segment.graph, given);
    for (size_t i = 0; i < made.size(); ++i) values.emplace(segment.outputs[i], made[i]);
  }
  std::vector<Tensor> outputs;
  for (const Output& output : whole.outputs()) outputs.push_back(values.at(output.value));
  return outputs;
}

}  // namespace

TEST_CASE("segments run in the order of their inputs, in the smallest number") {
  const Graph graph = network_to_cut();
  const std::vector<GraphSegment> segments = partition(graph, std::vector<size_t>{0, 1, 0, 0});
  REQUIRE(segments.size() == 3);
  CHECK(segments[0].member == 0);
  CHECK(segments[0].graph.nodes().size() == 2);
  CHECK(segments[1].member == 1);
  CHECK(segments[2].graph.nodes().size() == 1);
  CHECK(partition(graph, std::vector<size_t>{1, 1, 1, 1}).size() == 1);
}

TEST_CASE("nodes without inputs join the segment of their readers") {
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float64[3]\n"
      "  ones: float64[3] = ones(shape: (3,))\n"
      "  a: float64[3] = tanh(input: x)\n"
      "  b: float64[3] = multiply(left: a, right: ones)\n"
      "  output b = b\n"
      "}");
  CHECK(partition(graph, std::vector<size_t>{0, 1, 0}).size() == 2);
  CHECK(partition(graph, std::vector<size_t>{1, 0, 1}).size() == 2);
}

TEST_CASE("segments of every placement give the results of the whole graph") {
  const Graph graph = differentiate(network_to_cut(), {.outputs = {"y"}, .wanted = {"x", "w"}});
  const std::vector<Tensor> inputs{rising({4, 3}), rising({3, 2}), rising({4, 2})};
  const std::vector<Tensor> expected = interpret(graph, inputs);
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<size_t> members;
    for (size_t i = 0; i < graph.nodes().size(); ++i) members.push_back(random() % 3);
    const std::vector<Tensor> got = run_segments(graph, members, inputs);
    REQUIRE(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); ++i) CHECK(identical(got[i], expected[i]));
  }
}

TEST_CASE("a segment gets an input from which a size that it needs follows") {
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float64[N, 3]\n"
      "  input w: float64[3]\n"
      "  a: float64[N, 3] = relu(input: x)\n"
      "  b: float64[N, 3] = broadcast_to(input: w, shape: (N, 3))\n"
      "  output a = a\n"
      "  output b = b\n"
      "}");
  const std::vector<size_t> members{0, 1};
  const std::vector<GraphSegment> segments = partition(graph, members);
  REQUIRE(segments.size() == 2);
  CHECK(segments[1].inputs.size() == 2);
  const std::vector<Tensor> inputs{rising({4, 3}), rising({3})};
  const std::vector<Tensor> got = run_segments(graph, members, inputs);
  CHECK(identical(got[1], interpret(graph, inputs)[1]));
}

}  // namespace mithril
