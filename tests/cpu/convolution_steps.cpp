// Convolutions in plans: what is packed once, what threads share, what has no kernel.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/apart.hpp"

namespace mithril::tests {
namespace {

struct Sizes {
  int images, channels, size, filters, kernel, stride, groups;
  const char* dtype = "float32";

  int made() const { return (size + 2 * (kernel / 2) - kernel) / stride + 1; }
};

// The output, or the gradient in the input.
std::string text(const Sizes& s, bool constant, bool backwards = false) {
  const std::string options = fmt::format("stride: {}, padding: {}, dilation: 1, groups: {}",
                                          s.stride, s.kernel / 2, s.groups);
  std::string numbers;
  const int count = s.filters * s.channels / s.groups * s.kernel * s.kernel;
  for (int i = 0; i < count; ++i) {
    numbers += (i ? ", " : "") + fmt::format("{}", (i * 37 % 101 - 50) / 50.0);
  }
  const std::string weight = fmt::format("weight: {}[{}, {}, {}, {}]", s.dtype, s.filters,
                                         s.channels / s.groups, s.kernel, s.kernel);
  const std::string output =
      fmt::format("{}[{}, {}, {}, {}]", s.dtype, s.images, s.filters, s.made(), s.made());
  const std::string input =
      fmt::format("{}[{}, {}, {}, {}]", s.dtype, s.images, s.channels, s.size, s.size);
  std::string graph = "graph {\n  input x: " + input + "\n";
  if (backwards) graph += "  input g: " + output + "\n";
  graph +=
      constant ? "  constant " + weight + " = {" + numbers + "}\n" : "  input " + weight + "\n";
  if (backwards) {
    graph += "  y: " + input + " = conv2d_input_grad(grad: g, input: x, weight: weight, ";
  } else {
    graph += "  y: " + output + " = conv2d(input: x, weight: weight, bias: None, ";
  }
  return graph + options + ")\n  output y = y\n}\n";
}

std::vector<Tensor> inputs(const Sizes& s, bool constant, bool backwards = false) {
  std::vector<Tensor> all{random({s.images, s.channels, s.size, s.size}, 1)};
  if (backwards) all.push_back(random({s.images, s.filters, s.made(), s.made()}, 2));
  if (!constant) {
    all.push_back(random({s.filters, s.channels / s.groups, s.kernel, s.kernel}, 3));
  }
  return all;
}

const std::vector<Sizes> all_sizes = {{1, 16, 30, 24, 3, 1, 1}, {1, 16, 31, 24, 3, 2, 1},
                                      {1, 32, 20, 40, 1, 1, 1}, {3, 16, 15, 20, 3, 1, 1},
                                      {4, 16, 16, 20, 3, 1, 2}, {2, 24, 20, 24, 3, 1, 24},
                                      {5, 8, 1, 70, 1, 1, 1},   {0, 3, 4, 2, 3, 1, 1}};

}  // namespace

TEST_CASE("plans convolve as the reference does") {
  for (const Sizes& sizes : all_sizes) {
    for (const bool constant : {false, true}) {
      for (const int threads : {1, 2}) {
        CAPTURE(text(sizes, false));
        CHECK(apart(text(sizes, constant), inputs(sizes, constant), threads, 5e-5) == "");
      }
    }
    CHECK(apart(text(sizes, false, true), inputs(sizes, false, true), 2, 5e-5) == "");
  }
}

TEST_CASE("convolutions have the same bits with any number of threads") {
  for (const Sizes& sizes : all_sizes) {
    for (const bool backwards : {false, true}) {
      const Graph graph = parse_graph(text(sizes, false, backwards));
      const std::vector<Tensor> given = inputs(sizes, false, backwards);
      const auto made = [&](int threads) {
        return cpu({.threads = threads})->load(graph, {})->run(given).front();
      };
      const Tensor alone = made(1);
      for (const int threads : {2, 3, 8}) CHECK(identical(made(threads), alone));
    }
  }
}

TEST_CASE("one weight is packed for each number of groups that read it") {
  const std::string both =
      "graph {\n"
      "  input x: float32[1, 2, 3, 3]\n"
      "  input z: float32[1, 1, 3, 3]\n"
      "  constant w: float32[2, 1, 2, 2] = {1, 2, 3, 4, 5, 6, 7, 8}\n"
      "  y: float32[1, 2, 2, 2] = conv2d(input: x, weight: w, bias: None, stride: 1, padding: 0, "
      "dilation: 1, groups: 2)\n"
      "  v: float32[1, 2, 2, 2] = conv2d(input: z, weight: w, bias: None, stride: 1, padding: 0, "
      "dilation: 1, groups: 1)\n"
      "  output y = y\n"
      "  output v = v\n"
      "}\n";
  CHECK(apart(both, {random({1, 2, 3, 3}, 1), random({1, 1, 3, 3}, 2)}) == "");
}

TEST_CASE("what is not finite stays in the windows that hold it") {
  const std::string whole =
      "graph {\n"
      "  input x: float32[1, 1, 2, 40]\n"
      "  input w: float32[1, 1, 1, 2]\n"
      "  y: float32[1, 1, 2, 39] = conv2d(input: x, weight: w, bias: None, stride: 1, padding: 0, "
      "dilation: 1, groups: 1)\n"
      "  output y = y\n"
      "}\n";
  Tensor x = random({1, 1, 2, 40}, 1);
  x.mutable_values<float>()[17] = std::numeric_limits<float>::infinity();
  x.mutable_values<float>()[79] = std::numeric_limits<float>::quiet_NaN();
  CHECK(apart(whole, {x, random({1, 1, 1, 2}, 2)}) == "");
}

}  // namespace mithril::tests
