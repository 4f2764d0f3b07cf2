// Batch norms that become part of the product before them: text in, text out.
#include "mithril/passes/fold_batch_norm.hpp"

#include <doctest/doctest.h>

#include <string>

#include "mithril/graph/graph.hpp"
#include "mithril/passes/passes.hpp"

using namespace mithril;

namespace {

std::string folded_norms(const std::string& text) {
  return to_string(fold_batch_norm(parse_graph(text)));
}

// y = (x w + b - mean) / sqrt(variance) * weight + bias, of two channels.
const std::string constants = R"(graph {
  input x: float32[N, 1]
  constant w: float32[2, 1] = {1, 3}
  constant b: float32[2] = {5, 7}
  constant mean: float32[2] = {1, 2}
  constant variance: float32[2] = {4, 0.25}
  constant weight: float32[2] = {1, 10}
  constant bias: float32[2] = {0.5, -1}
)";

}  // namespace

TEST_CASE("a batch norm goes into weight and bias of the product before it") {
  CHECK(folded_norms(constants + R"(
  h: float32[N, 2] = linear(input: x, weight: w, bias: b)
  y: float32[N, 2] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: weight, bias: bias, eps: 0.0)
  output y = y
})") == R"(graph {
  input x: float32[N, 1]
  constant y.weight_1: float32[2, 1] = {0.5, 60}
  constant y.bias_1: float32[2] = {2.5, 99}
  y: float32[N, 2] = linear(input: x, weight: y.weight_1, bias: y.bias_1)
  output y = y
}
)");
}

TEST_CASE("a missing weight or bias of a batch norm counts as ones or zeros") {
  CHECK(folded_norms(constants + R"(
  h: float32[N, 2] = linear(input: x, weight: w, bias: None)
  y: float32[N, 2] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: None, bias: None, eps: 0.0)
  output y = y
})") == R"(graph {
  input x: float32[N, 1]
  constant y.weight_1: float32[2, 1] = {0.5, 6}
  constant y.bias_1: float32[2] = {-0.5, -4}
  y: float32[N, 2] = linear(input: x, weight: y.weight_1, bias: y.bias_1)
  output y = y
}
)");
}

TEST_CASE("a batch norm goes into a convolution with any options") {
  CHECK(folded_norms(R"(graph {
  input x: float32[N, 2, H, W]
  constant w: float32[2, 1, 1, 2] = {1, 2, 3, 4}
  constant mean: float32[2] = {0, 1}
  constant variance: float32[2] = {3, 0}
  h: float32[N, 2, H, W - 1] = conv2d(input: x, weight: w, bias: None, stride: 1, padding: 0, dilation: 1, groups: 2)
  y: float32[N, 2, H, W - 1] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: None, bias: None, eps: 1.0)
  output y = y
})") == R"(graph {
  input x: float32[N, 2, H, W]
  constant y.weight_1: float32[2, 1, 1, 2] = {0.5, 1, 3, 4}
  constant y.bias_1: float32[2] = {0, -1}
  y: float32[N, 2, H, W - 1] = conv2d(input: x, weight: y.weight_1, bias: y.bias_1, stride: 1, padding: 0, dilation: 1, groups: 2)
  output y = y
}
)");
}

TEST_CASE("a batch norm is not folded if the product has another user") {
  const auto stays = [](const std::string& rest) {
    const std::string before = to_string(eliminate_dead_nodes(parse_graph(constants + rest)));
    return folded_norms(before) == before;
  };
  INFO("somebody else reads the product");
  CHECK(stays(R"(
  h: float32[N, 2] = linear(input: x, weight: w, bias: b)
  y: float32[N, 2] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: weight, bias: bias, eps: 0.0)
  output y = y
  output h = h
})"));
  INFO("the scale is infinite");
  CHECK(stays(R"(
  constant none: float32[2] = {0, 1}
  h: float32[N, 2] = linear(input: x, weight: w, bias: b)
  y: float32[N, 2] = batch_norm_inference(input: h, mean: mean, variance: none, weight: weight, bias: bias, eps: 0.0)
  output y = y
})"));
  INFO("the weight is given at each run");
  CHECK(stays(R"(
  input v: float32[2, 1]
  h: float32[N, 2] = linear(input: x, weight: v, bias: b)
  y: float32[N, 2] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: weight, bias: bias, eps: 0.0)
  output y = y
})"));
  INFO("the channels are another axis than the outputs of the map");
  CHECK(stays(R"(
  input z: float32[N, 2, 1]
  h: float32[N, 2, 2] = linear(input: z, weight: w, bias: b)
  y: float32[N, 2, 2] = batch_norm_inference(input: h, mean: mean, variance: variance, weight: weight, bias: bias, eps: 0.0)
  output y = y
})"));
}
