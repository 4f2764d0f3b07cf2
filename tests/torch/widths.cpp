// Tensors of several widths in one op, on the backend on PyTorch.
#include <doctest/doctest.h>

#include <string>

#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril {
namespace {

// torch's result for a wide tensor without axes and a narrow one, compared with the reference.
std::string apart(const std::string& op, DType wide, const Tensor& scalar, DType narrow,
                  const Tensor& vector) {
  Graph graph;
  const ValueId x = graph.add_input({.name = "x", .dims = {Dim(2)}, .dtype = narrow});
  const ValueId y = graph.add_input({.name = "y", .dims = {}, .dtype = wide});
  graph.add_output("z", graph.add(find_op(op), {x, y}, "z").front());
  const std::vector<Tensor> inputs = {vector, scalar};
  const Tensor got = torch()->load(graph, {})->run(inputs).front().host();
  return tests::difference(got, interpret(graph, inputs).front());
}

}  // namespace

TEST_CASE("a scalar of more bits widens the other operand") {
  if (!tests::has_torch()) return tests::skip_without_torch();
  const Tensor floats = Tensor::of<float>({2}, {0.1F, -1.3F});
  const Tensor tenth = Tensor::of<double>({}, {0.1});
  const Tensor ints = Tensor::of<int32_t>({2}, {2'000'000'000, -7});
  const Tensor large = Tensor::of<int64_t>({}, {3'000'000'000});
  for (const char* op : {"multiply", "add", "maximum", "greater", "equal"}) {
    CAPTURE(op);
    CHECK(apart(op, DType::float64, tenth, DType::float32, floats) == "");
    CHECK(apart(op, DType::int64, large, DType::int32, ints) == "");
  }
}

}  // namespace mithril
