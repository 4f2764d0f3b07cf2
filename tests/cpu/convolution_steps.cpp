// Convolution steps in plans: weights packed once, threads, and forms without a kernel.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

struct StepSizes {
  int64_t images, channels, size, filters, kernel, stride, groups;
  const char* dtype = "float32";

  int64_t made() const { return (size + 2 * (kernel / 2) - kernel) / stride + 1; }
};

enum class Op { output, input_grad, weight_grad };

std::string tensor(const StepSizes& s, const std::string& name, Dims dims) {
  return fmt::format("{}: {}[{}]", name, s.dtype, fmt::join(dims, ", "));
}

Dims input_dims(const StepSizes& s) { return {s.images, s.channels, s.size, s.size}; }
Dims weight_dims(const StepSizes& s) {
  return {s.filters, s.channels / s.groups, s.kernel, s.kernel};
}
Dims output_dims(const StepSizes& s) { return {s.images, s.filters, s.made(), s.made()}; }

// The elements of the constant weight.
std::string numbers(const StepSizes& s) {
  std::vector<double> all(static_cast<size_t>(element_count(weight_dims(s))));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<double>(i * 37 % 101) / 50 - 1;
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string text(const StepSizes& s, Op op, bool constant = false) {
  const std::string x = tensor(s, "x", input_dims(s)), w = tensor(s, "w", weight_dims(s)),
                    g = tensor(s, "g", output_dims(s));
  std::string graph = "graph {\n  input " + x + "\n";
  graph += constant ? "  constant " + w + " = {" + numbers(s) + "}\n" : "  input " + w + "\n";
  if (op != Op::output) graph += "  input " + g + "\n";
  switch (op) {
    case Op::output:
      graph += "  " + tensor(s, "y", output_dims(s)) + " = conv2d(input: x, weight: w, bias: None";
      break;
    case Op::input_grad:
      graph += "  " + tensor(s, "y", input_dims(s)) +
               " = conv2d_input_grad(grad: g, input: x, "
               "weight: w";
      break;
    case Op::weight_grad:
      graph += "  " + tensor(s, "y", weight_dims(s)) +
               " = conv2d_weight_grad(grad: g, input: x, "
               "weight: w";
      break;
  }
  return graph +
         fmt::format(", stride: {}, padding: {}, dilation: 1, groups: {})\n", s.stride,
                     s.kernel / 2, s.groups) +
         "  output y = y\n}\n";
}

std::vector<Tensor> inputs(const StepSizes& s, Op op, bool constant = false) {
  std::vector<Tensor> all{random(input_dims(s), 1)};
  if (!constant) all.push_back(random(weight_dims(s), 2));
  if (op != Op::output) all.push_back(random(output_dims(s), 3));
  return all;
}

const std::vector<StepSizes> all_sizes = {{1, 16, 30, 24, 3, 1, 1}, {1, 16, 31, 24, 3, 2, 1},
                                          {1, 32, 20, 40, 1, 1, 1}, {3, 16, 15, 20, 3, 1, 1},
                                          {4, 16, 16, 20, 3, 1, 2}, {2, 24, 20, 24, 3, 1, 24},
                                          {5, 8, 1, 70, 1, 1, 1},   {0, 3, 4, 2, 3, 1, 1}};

}  // namespace

TEST_CASE("convolution steps match the reference") {
  for (const StepSizes& s : all_sizes) {
    CAPTURE(text(s, Op::output));
    for (const int threads : {1, 2}) {
      for (const bool constant : {false, true}) {
        const std::string graph = text(s, Op::output, constant);
        CHECK(differing_output(graph, inputs(s, Op::output, constant), threads, 5e-5) == "");
      }
      for (const Op op : {Op::input_grad, Op::weight_grad}) {
        CHECK(differing_output(text(s, op), inputs(s, op), threads, 5e-5) == "");
      }
    }
  }
}

TEST_CASE("convolutions have the same bits with any number of threads") {
  for (const StepSizes& s : all_sizes) {
    for (const Op op : {Op::output, Op::input_grad, Op::weight_grad}) {
      const Graph graph = parse_graph(text(s, op));
      const std::vector<Tensor> given = inputs(s, op);
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
  CHECK(differing_output(both, {random({1, 2, 3, 3}, 1), random({1, 1, 3, 3}, 2)}) == "");
}

TEST_CASE("NaN and infinity affect only the windows that contain them") {
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
  CHECK(differing_output(whole, {x, random({1, 1, 1, 2}, 2)}) == "");
}

TEST_CASE("a large weight that is not bound is packed in rounds") {
  for (const int outputs : {600, 601}) {
    for (const int threads : {1, 3}) {
      const std::string text = fmt::format(
          "graph {{\n  input x: float32[1, 64, 5, 6]\n  input w: float32[{0}, 64, 3, 3]\n"
          "  input b: float32[{0}]\n  input r: float32[1, {0}, 5, 6]\n"
          "  h: float32[1, {0}, 5, 6] = conv2d(input: x, weight: w, bias: b, stride: 1, "
          "padding: 1, dilation: 1, groups: 1)\n"
          "  s: float32[1, {0}, 5, 6] = add(left: h, right: r)\n"
          "  y: float32[1, {0}, 5, 6] = relu(input: s)\n  output y = y\n}}\n",
          outputs);
      CAPTURE(outputs);
      CAPTURE(threads);
      CHECK(differing_output(text,
                             {random({1, 64, 5, 6}, 1), random({outputs, 64, 3, 3}, 2),
                              random({outputs}, 3), random({1, outputs, 5, 6}, 4)},
                             threads, 1e-4) == "");
    }
  }
}

}  // namespace mithril::tests
