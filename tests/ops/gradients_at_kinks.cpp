// Slopes at points where an op is not smooth: as in PyTorch, because central differences do not
// define them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/grad/differentiate.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril {
namespace {

// The gradients of two vectors of the same size, for a gradient of the output that is 1 everywhere.
std::vector<std::vector<double>> slopes(const char* op,
                                        const std::vector<std::vector<double>>& inputs,
                                        const std::vector<Datum>& values = {}) {
  Graph graph;
  std::vector<Argument> arguments;
  std::vector<Tensor> tensors;
  DifferentiateOptions options{.outputs = {"output"}, .wanted = {}};
  const Dims dims{static_cast<int64_t>(inputs[0].size())};
  for (const std::vector<double>& input : inputs) {
    options.wanted.push_back("input_" + std::to_string(tensors.size()));
    arguments.emplace_back(graph.add_input(
        {.name = options.wanted.back(), .dims = {Dim(dims[0])}, .dtype = DType::float64}));
    tensors.push_back(Tensor::of<double>(dims, input));
  }
  for (const Datum& value : values) arguments.emplace_back(value);
  graph.add_output("output", graph.add(find_op(op), std::move(arguments), "output")[0]);
  tensors.push_back(Tensor::full(DType::float64, dims, 1));
  const std::vector<Tensor> results = interpret(differentiate(expand_ops(graph), options), tensors);
  std::vector<std::vector<double>> gradients;
  for (size_t i = 1; i < results.size(); ++i) {
    const auto elements = results[i].values<double>();
    gradients.emplace_back(elements.begin(), elements.end());
  }
  return gradients;
}

using Slopes = std::vector<std::vector<double>>;

}  // namespace

TEST_CASE("equals share the gradient of minimum and maximum") {
  CHECK(slopes("minimum", {{1, 2, 3}, {2, 2, 2}}) == Slopes{{1, 0.5, 0}, {0, 0.5, 1}});
  CHECK(slopes("maximum", {{1, 2, 3}, {2, 2, 2}}) == Slopes{{0, 0.5, 1}, {1, 0.5, 0}});
}

TEST_CASE("abs, relu and sign are flat at 0") {
  CHECK(slopes("abs", {{-1, 0, 1}}) == Slopes{{-1, 0, 1}});
  CHECK(slopes("relu", {{-1, 0, 1}}) == Slopes{{0, 0, 1}});
  CHECK(slopes("sign", {{-1, 0, 1}}) == Slopes{{0, 0, 0}});
}

TEST_CASE("abs is flat at NaN, and so are distances, as in PyTorch") {
  CHECK(slopes("abs", {{NAN, INFINITY, -INFINITY}}) == Slopes{{0, 1, -1}});
  CHECK(slopes("absolute_error", {{NAN, 1}, {1, INFINITY}}) == Slopes{{0, -1}, {0, 1}});
}

TEST_CASE("leaky_relu has its slope at 0 too") {
  CHECK(slopes("leaky_relu", {{-1, 0, 1}}, {0.25}) == Slopes{{0.25, 0.25, 1}});
}

TEST_CASE("clamp lets gradients through at its limits") {
  CHECK(slopes("clamp", {{-2, -1, 0, 1, 2}}, {-1, 1}) == Slopes{{0, 1, 1, 1, 0}});
}

TEST_CASE("clamp is flat at NaN, as in PyTorch, whichever limits it has") {
  CHECK(slopes("clamp", {{NAN, -INFINITY, INFINITY}}, {-1, 1}) == Slopes{{0, 0, 0}});
  CHECK(slopes("clamp", {{NAN, -INFINITY, INFINITY}}, {-1, None()}) == Slopes{{0, 0, 1}});
  CHECK(slopes("clamp", {{NAN, -INFINITY, INFINITY}}, {None(), 1}) == Slopes{{0, 1, 0}});
  CHECK(slopes("clamp", {{NAN, -INFINITY, INFINITY}}, {None(), None()}) == Slopes{{1, 1, 1}});
}

TEST_CASE("stop_gradient lets no gradient through") {
  CHECK(slopes("stop_gradient", {{3, 4}}) == Slopes{{0, 0}});
}

TEST_CASE("losses have the mean of both slopes at a kink") {
  CHECK(slopes("hinge_loss", {{1, -1, 3}, {1, -1, 1}})[0] == std::vector<double>{-0.5, 0.5, 0});
  CHECK(slopes("quantile_loss", {{1}, {1}}, {0.9}) == Slopes{{-0.4}, {0.4}});
}

TEST_CASE("floor_divide lets no gradient through") {
  CHECK(slopes("floor_divide", {{3, 4}, {2, 2}}) == Slopes{{0, 0}, {0, 0}});
}

TEST_CASE("remainder has the slope of the numerator, and of the denominator -floor(n / d)") {
  CHECK(slopes("remainder", {{7, -7, 7, 5}, {2, 2, -2, INFINITY}}) ==
        Slopes{{1, 1, 1, 1}, {-3, 4, 4, 0}});
}

TEST_CASE("power has finite slopes where the base or the exponent is 0") {
  const Slopes gradients = slopes("power", {{0, 0, 3}, {0, 2, 0}});
  CHECK(gradients[0] == std::vector<double>{0, 0, 0});
  CHECK(gradients[1][0] == 0);
  CHECK(gradients[1][1] == 0);
  CHECK(gradients[1][2] == doctest::Approx(std::log(3)));
}

TEST_CASE("where lets no NaN through from the side that is not chosen") {
  const Slopes gradients = slopes("relu", {{-1, NAN}});
  CHECK(gradients[0][0] == 0);
  CHECK(gradients[0][1] == 1);
}

TEST_CASE("padding of unknown rank by a size has a gradient") {
  const Graph graph = parse_graph(R"(graph {
    input sizes: float32[K]
    input x: float32[...]
    y: float32[...] = pad(input: x, pad_width: ((0, K),), value: 0)
    output y = y
  })");
  const std::vector<Tensor> results =
      interpret(differentiate(graph, {.outputs = {"y"}, .wanted = {"x"}}),
                std::vector<Tensor>{Tensor(DType::float32, {2}), Tensor(DType::float32, {3}),
                                    Tensor::of<float>({5}, {1, 2, 3, 4, 5})});
  const auto gradient = results[1].values<float>();
  CHECK(std::vector<float>(gradient.begin(), gradient.end()) == std::vector<float>{1, 2, 3});
}

}  // namespace mithril
