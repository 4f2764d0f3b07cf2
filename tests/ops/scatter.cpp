// Gradients of scatter where PyTorch's differ.
#include <doctest/doctest.h>

#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril {

TEST_CASE("elements that scatter overwrites get no gradient") {
  Graph graph;
  const auto input = [&](const char* name, int64_t size, DType dtype) {
    return Argument(graph.add_input({.name = name, .dims = {Dim(size)}, .dtype = dtype}));
  };
  const Argument x = input("input", 3, DType::float64), index = input("index", 4, DType::int64),
                 source = input("source", 4, DType::float64);
  const auto nodes =
      graph.add(find_op("scatter"), {x, index, source, Datum(-1), Datum("set")}, "output");
  graph.add_output("output", nodes[0]);
  const DifferentiateOptions options{.outputs = {"output"}, .wanted = {"input", "source"}};
  const std::vector<Tensor> tensors = {
      Tensor::of<double>({3}, {1, 2, 3}), Tensor::of<int64_t>({4}, {2, 0, 2, -1}),
      Tensor::of<double>({4}, {4, 5, 6, 7}), Tensor::of<double>({3}, {10, 20, 30})};
  const std::vector<Tensor> results = interpret(differentiate(graph, options), tensors);
  const auto of_input = results[1].values<double>(), of_source = results[2].values<double>();
  CHECK(std::vector(of_input.begin(), of_input.end()) == std::vector<double>{0, 20, 0});
  CHECK(std::vector(of_source.begin(), of_source.end()) == std::vector<double>{0, 10, 0, 30});
}

}  // namespace mithril
