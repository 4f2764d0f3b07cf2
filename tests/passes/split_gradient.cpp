#include "mithril/passes/split_gradient.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"

namespace mithril {
namespace {

Graph network() {
  return parse_graph(
      "graph {\n"
      "  input x: float64[N, 3]\n"
      "  input w: float64[3, 2]\n"
      "  h: float64[N, 2] = matmul(left: x, right: w)\n"
      "  y: float64[N, 2] = tanh(input: h)\n"
      "  output y = y\n"
      "}");
}

Tensor numbers(Dims dims) {
  Tensor tensor(DType::float64, std::move(dims));
  double next = -0.7;
  for (double& element : tensor.mutable_values<double>()) element = next += 0.3;
  return tensor;
}

}  // namespace

TEST_CASE("the two halves of a gradient graph give the results of the whole") {
  const Graph whole = differentiate(network(), {.outputs = {"y"}, .wanted = {"w"}});
  const GradientGraphs split = split_gradient(whole, 2, 1);
  verify(split.forward);
  verify(split.backward);
  const Tensor x = numbers({4, 3}), w = numbers({3, 2}), g = numbers({4, 2});
  const std::vector<Tensor> expected = interpret(whole, std::vector<Tensor>{x, w, g});

  std::vector<Tensor> made = interpret(split.forward, std::vector<Tensor>{x, w});
  CHECK(identical(made[0], expected[0]));
  std::vector<Tensor> given(made.begin() + 1, made.end());
  given.push_back(g);
  CHECK(given.size() == split.backward.inputs().size());
  CHECK(identical(interpret(split.backward, given)[0], expected[1]));
}

TEST_CASE("nodes that only the gradient needs are in the backward graph") {
  const Graph whole = differentiate(network(), {.outputs = {"y"}, .wanted = {"w"}});
  const GradientGraphs split = split_gradient(whole, 2, 1);
  CHECK(split.forward.nodes().size() == network().nodes().size());
  CHECK(split.forward.nodes().size() + split.backward.nodes().size() <= whole.nodes().size());
  CHECK(split.forward.outputs()[0].name == "y");
}

TEST_CASE("an output that the gradient is made of is kept, a constant is not") {
  const Graph graph = parse_graph(
      "graph {\n"
      "  input x: float64[2]\n"
      "  y: float64[2] = exp(input: x)\n"
      "  output y = y\n"
      "}");
  const Graph whole = differentiate(graph, {.outputs = {"y"}, .wanted = {"x"}});
  const GradientGraphs split = split_gradient(whole, 1, 1);
  CHECK(split.forward.outputs().size() == 3);  // y, and x and y once more for later
  const Tensor x = numbers({2}), g = Tensor::full(DType::float64, {2}, 2);
  const std::vector<Tensor> made = interpret(split.forward, std::vector<Tensor>{x});
  const std::vector<Tensor> gradient =
      interpret(split.backward, std::vector<Tensor>{made[1], made[2], g});
  CHECK(gradient[0].at_as_double(0) == 2 * made[0].at_as_double(0));
}

}  // namespace mithril
