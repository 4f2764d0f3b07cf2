// Convolutions without elements on torch, which has no operator for them.
#include <doctest/doctest.h>

#include <vector>

#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "tests/skip.hpp"

namespace mithril {

TEST_CASE("the gradient of a convolution weight without channels is computed on torch") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const Graph graph = parse_graph(
      "graph {\n"
      "  input g: float32[1, 2, 2, 2]\n"
      "  input x: float32[1, 0, 3, 3]\n"
      "  input w: float32[2, 0, 2, 2]\n"
      "  y: float32[2, 0, 2, 2] = conv2d_weight_grad(grad: g, input: x, weight: w)\n"
      "  output y = y\n"
      "}");
  std::vector<Tensor> inputs;
  for (const Dims& dims : {Dims{1, 2, 2, 2}, Dims{1, 0, 3, 3}, Dims{2, 0, 2, 2}})
    inputs.push_back(Tensor::full(DType::float32, dims, 1));
  const Tensor made = torch()->load(graph, {})->run(inputs).front().host();
  CHECK(identical(made, interpret(graph, inputs).front()));
}

}  // namespace mithril
