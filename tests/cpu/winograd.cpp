// Winograd's convolutions: how far apart they are from sums in double precision, on each set of
// instructions, in any number of parts, and the option that switches them off.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/winograd.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/apart.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

Convolution plain(int64_t down, int64_t across, int64_t inputs, int64_t outputs,
                  int64_t padding = 1) {
  const auto axis = [&](int64_t size) {
    return WindowAxis{size, 3, size + 2 * padding - 2, 1, padding, 1};
  };
  return {.down = axis(down), .across = axis(across), .inputs = inputs, .outputs = outputs};
}

struct Sample {
  Convolution c;
  Tensor input, weight, bias;

  explicit Sample(const Convolution& convolution)
      : c(convolution),
        input(random({c.inputs, c.down.input, c.across.input}, 1)),
        weight(random({c.outputs, c.inputs, 3, 3}, 2)),
        bias(random({c.outputs}, 3)) {}
};

std::vector<double> expected(const Sample& s) {
  const Convolution& c = s.c;
  std::vector<double> sums;
  for (int64_t out = 0; out < c.outputs; ++out) {
    for (int64_t y = 0; y < c.down.output; ++y) {
      for (int64_t x = 0; x < c.across.output; ++x) {
        double sum = s.bias.data<float>()[out];
        for (int64_t i = 0; i < c.inputs * 9; ++i) {
          const int64_t row = y + i / 3 % 3 - c.down.before, column = x + i % 3 - c.across.before;
          if (row < 0 || column < 0 || row >= c.down.input || column >= c.across.input) continue;
          const int64_t at = (i / 9 * c.down.input + row) * c.across.input + column;
          sum += static_cast<double>(s.input.data<float>()[at]) *
                 s.weight.data<float>()[out * c.inputs * 9 + i];
        }
        sums.push_back(sum);
      }
    }
  }
  return sums;
}

std::vector<float> made(const Sample& s, Instructions instructions, int64_t parts) {
  const WindowKernels<float>& products = window_kernels<float>(instructions);
  const WinogradForm form(s.c, products.height, products.width);
  // Where nothing is written, or something else is read, it shows.
  const auto memory = [](int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), std::nanf(""));
  };
  std::vector<float> weight = memory(form.weight_count()), input = memory(form.input_count()),
                     work = memory(form.part_count()),
                     to = memory(s.c.outputs * s.c.down.output * s.c.across.output);
  form.transform_weight(s.weight.data<float>(), weight.data());
  form.transform_input(winograd_kernels(instructions), s.input.data<float>(), 0, s.c.inputs,
                       work.data(), input.data());
  for (const bool of_rows : {false, true}) {
    for (int64_t part = 0; part < parts; ++part) {
      form.multiply({.transforms = winograd_kernels(instructions),
                     .products = products,
                     .input = input.data(),
                     .weight = weight.data(),
                     .bias = s.bias.data<float>(),
                     .work = work.data(),
                     .made = to.data()},
                    {part, parts, of_rows});
    }
  }
  return to;
}

// ||made - expected|| / ||expected||
double relative_error(const std::vector<float>& made, const std::vector<double>& expected) {
  double apart = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    apart += std::pow(made[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(apart / size);
}

std::string convolution(int64_t images) {
  const std::string dims = fmt::format("float32[{}, 32, 14, 15]", images);
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

TEST_CASE("Winograd's convolutions are within 5e-6 of sums in double precision") {
  for (const Convolution& c :
       {plain(56, 56, 64, 32), plain(28, 28, 128, 40), plain(14, 14, 256, 32), plain(7, 9, 3, 5),
        plain(13, 6, 33, 70, 0), plain(3, 3, 1, 1, 0), plain(4, 61, 2, 3, 2)}) {
    CAPTURE(c.down.input);
    const Sample sample(c);
    const std::vector<double> sums = expected(sample);
    for (const Instructions instructions : present_instructions()) {
      CAPTURE(name(instructions));
      const std::vector<float> alone = made(sample, instructions, 1);
      CHECK(relative_error(alone, sums) < 5e-6);
      for (const int64_t parts : {2, 3}) CHECK(made(sample, instructions, parts) == alone);
    }
  }
}

TEST_CASE("only windows that suit it are for Winograd's algorithm") {
  CHECK(suits_winograd(plain(14, 14, 256, 256)));
  CHECK_FALSE(suits_winograd(plain(7, 7, 512, 512)));
  CHECK_FALSE(suits_winograd(plain(14, 14, 3, 64)));
  Convolution strided = plain(28, 28, 64, 64);
  strided.across.stride = 2;
  CHECK_FALSE(suits_winograd(strided));
  Convolution dilated = plain(28, 28, 64, 64);
  dilated.down.dilation = 2;
  CHECK_FALSE(suits_winograd(dilated));
}

TEST_CASE("plans convolve by Winograd's algorithm, with the same bits on any number of threads") {
  for (const int64_t images : {0, 1, 2, 3}) {
    const std::vector<Tensor> given{random({images, 32, 14, 15}, 1), random({1, 32, 1, 1}, 2)};
    const Graph graph = parse_graph(convolution(images));
    const auto made = [&](CpuOptions options) {
      return cpu(options)->load(graph, {})->run(given).front();
    };
    const Tensor alone = made({.threads = 1});
    for (const int threads : {2, 3}) CHECK(identical(made({.threads = threads}), alone));
    const Tensor direct = made({.threads = 1, .winograd = false});
    CHECK(identical(direct, alone) == (images == 0));
    CHECK(apart(convolution(images), given, 2, 0.02) == "");
  }
}

}  // namespace mithril::tests
