// Convolutions in plans with Winograd's algorithm and without, in any number of threads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

std::string convolution(int64_t images, int64_t size) {
  const std::string dims = fmt::format("float32[{}, 32, {}, {}]", images, size, size);
  std::vector<double> numbers(32 * 32 * 9);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i * 37 % 101) - 50;
  return "graph {\n  input x: " + dims + "\n  input c: float32[1, 32, 1, 1]\n" +
         fmt::format("  constant w: float32[32, 32, 3, 3] = {{{}}}\n", fmt::join(numbers, ", ")) +
         "  h: " + dims +
         " = conv2d(input: x, weight: w, bias: None, stride: 1, padding: 1, dilation: 1, groups: "
         "1)\n  s: " +
         dims + " = multiply(left: h, right: c)\n  y: " + dims +
         " = relu(input: s)\n  output y = y\n}\n";
}

}  // namespace

TEST_CASE("plans with Winograd's algorithm have the same bits on any number of threads") {
  for (const int64_t size : {18, 7, 5}) {
    for (const int64_t images : {0, 1, 2, 3}) {
      const std::vector<Tensor> given{random({images, 32, size, size}, 1),
                                      random({1, 32, 1, 1}, 2)};
      const Graph graph = parse_graph(convolution(images, size));
      const auto made = [&](CpuOptions options) {
        return cpu(options)->load(graph, {})->run(given).front();
      };
      const Tensor alone = made({.threads = 1});
      for (const int threads : {2, 3}) CHECK(identical(made({.threads = threads}), alone));
      const Tensor direct = made({.threads = 1, .winograd = false});
      const bool has_winograd = cpu_backend::nchwc_kernels().nr > 0 && images > 0 && size >= 18;
      CHECK(identical(direct, alone) == !has_winograd);
      CHECK(differing_output(convolution(images, size), given, 2, 0.02) == "");
    }
  }
}

}  // namespace mithril::tests
