// Pooling steps compared with the reference: all kinds of windows, outputs that are read or not,
// NaN and infinity, and each instruction set.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/kernels/pool_kernels.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "mithril/op/registry.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

struct Window {
  int64_t kernel, stride, padding, dilation;
  bool is_one_row = false;  // a window of one row, which moves over each

  std::string options() const {
    const std::string form =
        is_one_row ? "kernel_size: (1, {}), stride: (1, {}), padding: (0, {}), dilation: (1, {})"
                   : "kernel_size: {}, stride: {}, padding: {}, dilation: {}";
    return fmt::format(fmt::runtime(form), kernel, stride, padding, dilation);
  }
  int64_t made_rows(int64_t size) const { return is_one_row ? size : made(size); }
  int64_t made(int64_t size) const {
    return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  }
};

// All pooling ops, with or without the indices of the largest elements.
std::string text(const Window& w, const Dims& dims, bool placed) {
  const std::string in = fmt::format("float32[{}]", fmt::join(dims, ", "));
  const std::string lead =
      fmt::format("[{}, {}, {}, {}]", dims[0], dims[1], w.made_rows(dims[2]), w.made(dims[3]));
  std::string graph = "graph {\n  input x: " + in + "\n  input g: float32" + lead + "\n" +
                      "  m: float32" + lead + ", p: int64" + lead + " = max_pool2d(input: x, " +
                      w.options() + ")\n  a: float32" + lead + " = avg_pool2d(input: x, " +
                      w.options() + ")\n";
  graph += "  mg: " + in + " = max_pool2d_grad(grad: g, input: x, " + w.options() +
           ", places: " + (placed ? "p" : "None") + ")\n";
  graph += "  ag: " + in + " = avg_pool2d_grad(grad: g, like: x, " + w.options() + ")\n";
  graph += "  output m = m\n  output a = a\n  output mg = mg\n  output ag = ag\n";
  return graph + (placed ? "  output p = p\n}\n" : "}\n");
}

const std::vector<Window> windows = {{3, 2, 1, 1}, {2, 2, 0, 1}, {3, 1, 1, 1}, {2, 3, 1, 2},
                                     {5, 1, 2, 1}, {1, 2, 0, 1}, {2, 5, 0, 3}};
// Those without padding whose stride divides the width are windows of one long row.
const std::vector<Window> windows_of_one_row = {{4, 4, 0, 1, true}, {2, 4, 0, 3, true},
                                                {2, 4, 0, 4, true}, {3, 2, 0, 1, true},
                                                {3, 4, 1, 1, true}, {1, 1, 0, 1, true}};

// Checks pools with these arguments of the output of a convolution, which another one reads.
void check_pools_between_convolutions(const Dims& image, int64_t channels,
                                      const std::vector<Datum>& arguments) {
  for (const std::string op : {"max_pool2d", "avg_pool2d"}) {
    CAPTURE(op);
    CAPTURE(to_string(image));
    CAPTURE(channels);
    Graph graph;
    graph.set_default_dtype(DType::float32);
    const ValueId x = graph.add_input({"x", {image.begin(), image.end()}, true, DType::float32});
    const auto convolved = [&](ValueId from, const Dims& dims, const char* name) {
      const ValueId weight = graph.add_constant(std::string(name) + ".weight", random(dims, 2));
      return graph.add(find_op("conv2d"), {from, weight, Datum(), Datum(1), Datum(1)}, name)
          .front();
    };
    std::vector<Argument> given{convolved(x, {channels, image[1], 3, 3}, "a")};
    given.insert(given.end(), arguments.begin(), arguments.end());
    const ValueId pooled = graph.add(find_op(op), given, "pooled").front();
    graph.add_output("y", convolved(pooled, {channels, channels, 3, 3}, "b"));
    const std::vector<Tensor> inputs{random(image, 1)};
    const Tensor expected = interpret(graph, inputs).front();
    for (const CpuSetting& setting : cpu_settings()) {
      CAPTURE(description(setting));
      const InstructionsLimit limit(setting.instructions);
      const Tensor got = load_with(setting, graph)->run(inputs).front();
      CHECK(difference(got, expected, 1e-3) == "");
    }
  }
}

// Checks all pooling ops with windows over images of all dims.
void check_windows(const std::vector<Window>& moving, const std::vector<Dims>& images) {
  for (const Window& window : moving) {
    for (const Dims& dims : images) {
      for (const bool placed : {false, true}) {
        CAPTURE(text(window, dims, placed));
        const Tensor x = random(dims, 1);
        const Tensor g =
            random({dims[0], dims[1], window.made_rows(dims[2]), window.made(dims[3])}, 2);
        CHECK(differing_output(text(window, dims, placed), {x, g}) == "");
        CHECK(differing_output(text(window, dims, placed), {x, g}, 2) == "");
      }
    }
  }
}

}  // namespace

TEST_CASE("pooling steps match the reference") {
  check_windows(windows, {{2, 3, 9, 37}, {1, 1, 5, 5}, {0, 2, 6, 6}, {1, 70, 40, 35}});
}

TEST_CASE("pooling steps with windows of one row match the reference") {
  check_windows(windows_of_one_row, {{2, 3, 9, 16}, {2, 3, 5, 18}, {1, 2, 3, 5}, {1, 1, 386, 16}});
}

TEST_CASE("max pooling picks the first of equal elements, and NaN before all numbers") {
  const std::string graph = text({2, 2, 0, 1}, {1, 1, 2, 40}, true);
  Tensor x(DType::float32, {1, 1, 2, 40});
  x.mutable_values<float>()[0] = -infinite;
  x.mutable_values<float>()[1] = -infinite;
  x.mutable_values<float>()[40] = -infinite;
  x.mutable_values<float>()[41] = -infinite;
  x.mutable_values<float>()[7] = NAN;
  x.mutable_values<float>()[46] = NAN;
  x.mutable_values<float>()[12] = infinite;
  x.mutable_values<float>()[53] = infinite;
  CHECK(differing_output(graph, {x, random({1, 1, 1, 20}, 1)}) == "");
}

TEST_CASE("max pooling gradients skip places that are out of range") {
  const std::string graph =
      "graph {\n"
      "  input g: float32[1, 3]\n"
      "  input x: float32[2, 6]\n"
      "  constant p: int64[1, 3] = {-1, 12, 3}\n"
      "  y: float32[2, 6] = max_pool2d_grad(grad: g, input: x, kernel_size: 2, stride: None, "
      "padding: 0, dilation: 1, places: p)\n"
      "  output y = y\n"
      "}\n";
  const std::vector<Tensor> given{Tensor::of<float>({1, 3}, {5, 6, 7}),
                                  Tensor(DType::float32, {2, 6})};
  const auto made = cpu()->load(parse_graph(graph), {})->run(given);
  CHECK(identical(made.front(), Tensor::of<float>({2, 6}, {0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_CASE("pooling gives the same bits for each instruction set") {
  using namespace cpu_backend;
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    for (const int64_t step : {1, 2, 3}) {
      for (int64_t count = 1; count < 40; ++count) {
        // Elements beyond the last one must not be read.
        const Tensor x = random({(count - 1) * step + 1}, 1), best = random({count}, 2);
        const auto size = static_cast<size_t>(count);
        std::vector<float> largest(best.values<float>().begin(), best.values<float>().end());
        std::vector<float> placed = largest, sums = largest;
        std::vector<int32_t> places(size, 7);
        const PoolRun<float> run{x.data<float>(), step, count};
        const PoolKernels<float>& kernels = pool_kernels<float>(instructions);
        kernels.largest(run, largest.data());
        kernels.largest_placed(run, 100, placed.data(), places.data());
        kernels.sum(run, sums.data());
        for (size_t i = 0; i < size; ++i) {
          const float taken = x.data<float>()[i * static_cast<size_t>(step)];
          const float old = best.data<float>()[i];
          REQUIRE(largest[i] == std::max(taken, old));
          REQUIRE(placed[i] == largest[i]);
          REQUIRE(places[i] == (taken > old ? 100 + static_cast<int32_t>(i) * step : 7));
          REQUIRE(sums[i] == taken + old);
        }
      }
    }
  }
}

TEST_CASE("pooling steps in the blocked layout match the reference") {
  struct Case {
    int64_t height, width, stride, padding, dilation;
  };
  for (const Case& at : {Case{1, 4, 4, 0, 1}, Case{3, 3, 2, 1, 1}, Case{2, 5, 1, 1, 2},
                         Case{5, 1, 3, 2, 1}, Case{1, 12, 1, 6, 1}, Case{3, 2, 1, 1, 3}}) {
    const Tuple padding{std::min(at.padding, at.height / 2), std::min(at.padding, at.width / 2)};
    check_pools_between_convolutions(
        {2, 3, 9, 13}, 32,
        {Tuple{at.height, at.width}, Datum(at.stride), padding, Datum(at.dilation)});
  }
  // Windows of one row that cut the rows into parts.
  check_pools_between_convolutions({2, 3, 9, 16}, 32,
                                   {Tuple{1, 4}, Tuple{1, 4}, Datum(0), Datum(1)});
}

// A value with one pixel has no blocks, and as many elements as its blocks only for whole blocks.
TEST_CASE("pooling steps from and to one pixel match the reference") {
  for (const int64_t batch : {1, 2}) {
    for (const int64_t channels : {16, 17, 24, 40, 48}) {
      const Datum one(1), none(0);
      check_pools_between_convolutions({batch, 3, 3, 4}, channels, {Tuple{3, 4}, one, none, one});
      check_pools_between_convolutions({batch, 3, 1, 1}, channels, {Tuple{2, 2}, one, one, one});
    }
  }
}

}  // namespace mithril::tests
