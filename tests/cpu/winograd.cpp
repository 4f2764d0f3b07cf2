// Panel convolutions, Winograd and small planes: their errors compared with sums in double
// precision, for each instruction set and any number of parts, and the option that switches
// Winograd off.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "backends/cpu/conv/small_planes.hpp"
#include "backends/cpu/conv/winograd_planar.hpp"
#include "backends/cpu/cpu.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/convolution_sample.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

Convolution plain(int64_t down, int64_t across, int64_t inputs, int64_t outputs,
                  int64_t padding = 1) {
  const auto axis = [&](int64_t size) {
    return WindowAxis{size, 3, size + 2 * padding - 2, 1, padding, 1};
  };
  return {.height = axis(down), .width = axis(across), .inputs = inputs, .outputs = outputs};
}

template <typename Form>
std::vector<float> made(const ConvolutionSample& s, Instructions instructions, int64_t parts) {
  const Form form(s.c, instructions);
  // Unwritten elements, and reads outside of the operands, become visible.
  const auto memory = [](int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), std::nanf(""));
  };
  std::vector<float> weight = memory(form.weight_count()), input = memory(form.input_count()),
                     work = memory(form.part_count()),
                     to = memory(s.c.outputs * s.c.height.output * s.c.width.output);
  for (int64_t panel = 0; panel < form.panels(); ++panel) {
    form.transform_weight(s.weight.data<float>(), panel, weight.data());
  }
  form.transform_input(s.input.data<float>(), 0, s.c.inputs, work.data(), input.data());
  for (const bool of_rows : {false, true}) {
    for (int64_t part = 0; part < parts; ++part) {
      form.multiply({.input = input.data(),
                     .weight = weight.data(),
                     .bias = s.bias.data<float>(),
                     .work = work.data(),
                     .made = to.data()},
                    {part, parts, of_rows});
    }
  }
  return to;
}

template <typename Form>
void check(const Convolution& c, double allowed, double allowed_largest) {
  CAPTURE(c.height.input);
  const ConvolutionSample sample(c);
  const std::vector<double> sums = sample.expected();
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const std::vector<float> alone = made<Form>(sample, instructions, 1);
    CHECK(relative_error(alone, sums) < allowed);
    CHECK(largest_error(alone, sums) < allowed_largest);
    for (const int64_t parts : {2, 3}) CHECK(made<Form>(sample, instructions, parts) == alone);
  }
}

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

TEST_CASE(
    "Winograd convolutions are within 5e-6 of double-precision sums, and elements within 3e-5") {
  for (const Convolution& c :
       {plain(56, 56, 64, 32), plain(28, 28, 128, 40), plain(14, 14, 256, 32), plain(7, 9, 3, 5),
        plain(13, 6, 33, 70, 0), plain(3, 3, 1, 1, 0), plain(4, 61, 2, 3, 2)}) {
    check<WinogradPlanar>(c, 5e-6, 3e-5);
  }
}

TEST_CASE("small-plane convolutions equal direct sums") {
  Convolution strided = plain(13, 12, 5, 40);
  strided.height = {13, 3, 6, 2, 0, 1};
  strided.width = {12, 4, 5, 2, 1, 2};
  Convolution points = plain(6, 5, 70, 33);
  points.height = {6, 1, 6, 1, 0, 1};
  points.width = {5, 1, 5, 1, 0, 1};
  for (const Convolution& c : {plain(7, 6, 60, 40), plain(4, 4, 3, 2), plain(5, 6, 2, 33, 1),
                               plain(3, 3, 100, 32, 0), strided, points}) {
    check<SmallPlaneForm>(c, 1e-6, 4e-6);
  }
}

TEST_CASE("Winograd serves only suitable windows") {
  CHECK(suits_winograd_planar(plain(28, 28, 128, 128)));
  CHECK_FALSE(suits_winograd_planar(plain(14, 14, 256, 256)));
  Convolution many = plain(14, 14, 256, 256);
  many.images = 8;
  CHECK(suits_winograd_planar(many));
  CHECK_FALSE(suits_winograd_planar(plain(7, 7, 512, 512)));
  CHECK_FALSE(suits_winograd_planar(plain(14, 14, 3, 64)));
  Convolution strided = plain(28, 28, 64, 64);
  strided.width.stride = 2;
  CHECK_FALSE(suits_winograd_planar(strided));
  Convolution dilated = plain(28, 28, 64, 64);
  dilated.height.dilation = 2;
  CHECK_FALSE(suits_winograd_planar(dilated));
}

TEST_CASE("small planes fill too few lanes of a vector") {
  CHECK(suits_small_planes(plain(1, 1, 64, 64)));
  CHECK_FALSE(suits_small_planes(plain(28, 28, 64, 64)));
  CHECK_FALSE(suits_small_planes(plain(1, 1, 64, 1)));
}

TEST_CASE("panel convolutions have the same bits on any number of threads") {
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
      CHECK(identical(direct, alone) == (images == 0 || size < 18));
      CHECK(differing_output(convolution(images, size), given, 2, 0.02) == "");
    }
  }
}

}  // namespace mithril::tests
