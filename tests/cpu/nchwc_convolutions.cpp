// NCHWc convolutions: the error compared with sums in double precision, for each instruction set
// and any number of parts.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/conv/nchwc_form.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "tests/cpu/convolution_sample.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/environment.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

// [N, C, H, W] as [N, C / 16, H, W, 16] for blocks of 16. Lanes without a channel hold NaN, which
// no channel may see.
template <typename T>
std::vector<T> in_blocks(const T* from, int64_t images, int64_t channels, int64_t plane,
                         int64_t block, T padding) {
  const int64_t blocks = (channels + block - 1) / block;
  std::vector<T> to(static_cast<size_t>(images * blocks * block * plane), padding);
  for (int64_t i = 0; i < images * channels * plane; ++i) {
    const int64_t image = i / (channels * plane), channel = i / plane % channels;
    const int64_t at = (image * blocks + channel / block) * plane + i % plane;
    to[static_cast<size_t>(at * block + channel % block)] = from[i];
  }
  return to;
}

std::vector<float> from_blocks(const std::vector<float>& from, const Convolution& c,
                               int64_t block) {
  const int64_t plane = c.height.output * c.width.output, channels = c.output_channels();
  const int64_t blocks = (channels + block - 1) / block;
  std::vector<float> to;
  for (int64_t i = 0; i < c.images * channels * plane; ++i) {
    const int64_t image = i / (channels * plane), channel = i / plane % channels;
    const int64_t at = (image * blocks + channel / block) * plane + i % plane;
    to.push_back(from[static_cast<size_t>(at * block + channel % block)]);
  }
  return to;
}

// Unwritten elements, and reads outside of the operands, become visible.
std::vector<float> memory(int64_t count) {
  return std::vector<float>(static_cast<size_t>(count), std::nanf(""));
}

std::vector<float> made(const ConvolutionForm& form, const ConvolutionSample& s,
                        const float* given_weight, const void* source, int64_t block,
                        int64_t parts) {
  constexpr int64_t element = sizeof(float);
  std::vector<float> weight = memory(form.weight_bytes() / element),
                     padded = memory(form.source_bytes() / element),
                     work = memory(form.work_bytes(parts) / element);
  const int64_t channels = (s.c.output_channels() + block - 1) / block * block;
  std::vector<float> to = memory(s.made_count() / s.c.output_channels() * channels);
  for (int64_t panel = 0; panel < form.panels(); ++panel) {
    form.pack_weight(given_weight, panel, weight.data());
  }
  for (int64_t part = 0; part < parts && !padded.empty(); ++part) {
    form.pad(source, 0, GemmPart{part, parts}.share(form.source_rows()), padded.data());
  }
  const GemmPart cut = form.cut(parts);
  for (int64_t part = 0; part < parts; ++part) {
    form.multiply({.source = padded.empty() ? source : padded.data(),
                   .weight = weight.data(),
                   .bias = s.bias.data<float>(),
                   .work = work.data(),
                   .made = to.data()},
                  {part, cut.parts, cut.of_rows});
  }
  return from_blocks(to, s.c, block);
}

// Checks the tolerance on one part, and the same bits on more parts.
void check_form(const ConvolutionForm& form, const ConvolutionSample& sample,
                const std::vector<double>& sums, const float* weight, const void* source,
                int64_t block, double allowed) {
  const std::vector<float> alone = made(form, sample, weight, source, block, 1);
  CHECK(relative_error(alone, sums) < allowed);
  CHECK(largest_error(alone, sums) < 6 * allowed);
  for (const int64_t parts : {2, 3}) {
    CHECK(made(form, sample, weight, source, block, parts) == alone);
  }
}

void check(MakeNchwcForm make, const Convolution& c, double allowed) {
  CAPTURE(c.height.input);
  CAPTURE(c.inputs);
  const ConvolutionSample sample(c);
  const std::vector<double> sums = sample.expected();
  for (const Instructions instructions : present_instructions()) {
    const NchwcKernels& kernels = nchwc_kernels(instructions);
    if (kernels.nr == 0) continue;
    CAPTURE(name(instructions));
    for (const bool blocked : {false, true}) {
      const auto* given = sample.input.data<float>();
      std::vector<float> source(given, given + sample.input.size());
      if (blocked) {
        source = in_blocks(given, c.images, c.input_channels(), c.height.input * c.width.input,
                           kernels.block, std::nanf(""));
      }
      const auto* weight = sample.weight.data<float>();
      check_form(*make(c, {blocked, true}, kernels), sample, sums, weight, source.data(),
                 kernels.block, allowed);
    }
  }
}

void check_pairs(const Convolution& c) {
  const BFloat16Kernels* pairs = bfloat16_kernels();
  if (!pairs || pairs->blocks.nr == 0) return;
  CAPTURE(c.height.input);
  CAPTURE(c.inputs);
  REQUIRE(suits_direct_nchwc(c, pairs->blocks));
  ConvolutionSample sample(c);
  const Tensor input = sample.input.to(DType::bfloat16), weight = sample.weight.to(DType::bfloat16);
  sample.input = input.to(DType::float32);
  sample.weight = weight.to(DType::float32);
  const std::vector<double> sums = sample.expected();
  const int64_t block = pairs->blocks.block;
  const VnniOperand operand = vnni_weight(weight.dims());
  std::vector<float> pairs_of_weight(static_cast<size_t>(operand.packed_count()));
  operand.pack(static_cast<const uint16_t*>(weight.raw_data()), 1, pairs_of_weight.data());
  for (const bool blocked : {false, true}) {
    if (blocked && c.inputs % 2 != 0) continue;
    const auto* given = static_cast<const uint16_t*>(input.raw_data());
    std::vector<uint16_t> source(given, given + input.size());
    if (blocked) {
      constexpr uint16_t nan = 0x7fc0;
      source = in_blocks(given, c.images, c.inputs, c.height.input * c.width.input, block, nan);
    }
    check_form(*direct_nchwc(c, {blocked, true}, pairs->blocks), sample, sums,
               pairs_of_weight.data(), source.data(), block, 1e-6);
  }
}

Convolution window(int64_t down, int64_t across, int64_t inputs, int64_t outputs, WindowAxis axis) {
  const auto along = [&](int64_t size) {
    WindowAxis made = axis;
    made.input = size;
    const int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
    made.output = (size + 2 * axis.before - reach) / axis.stride + 1;
    return made;
  };
  return {.height = along(down), .width = along(across), .inputs = inputs, .outputs = outputs};
}

constexpr WindowAxis points{.kernel = 1}, plain{.kernel = 3, .before = 1},
    strided{.kernel = 3, .stride = 2, .before = 1};

Convolution of_images(int64_t images, Convolution c) {
  c.images = images;
  return c;
}

// Returns the convolution with this number of groups.
Convolution in_groups(int64_t groups, Convolution c) {
  c.groups = groups;
  return c;
}

}  // namespace

TEST_CASE("NCHWc convolutions equal direct sums") {
  for (const Convolution& c :
       {window(9, 30, 32, 64, plain),
        window(7, 7, 96, 96, plain),
        window(5, 6, 64, 32, points),
        window(9, 8, 32, 32, {.kernel = 1, .stride = 2}),
        window(15, 12, 48, 64, strided),
        window(11, 13, 16, 32, {.kernel = 3, .stride = 1, .before = 2, .dilation = 2}),
        window(6, 33, 32, 32, {.kernel = 3}),
        window(3, 3, 80, 32, {.kernel = 3}),
        window(20, 18, 3, 32, {.kernel = 7, .stride = 2, .before = 3}),
        window(8, 9, 5, 64, plain),
        window(9, 10, 24, 32, {.kernel = 5, .before = 2}),
        window(12, 40, 1, 32, {.kernel = 11, .stride = 1, .before = 5}),
        of_images(3, window(7, 6, 32, 64, plain)),
        of_images(2, window(5, 5, 64, 64, points)),
        of_images(2, window(9, 9, 3, 32, strided)),
        window(9, 10, 17, 33, plain),
        window(6, 7, 31, 17, strided),
        of_images(2, window(5, 6, 15, 31, points)),
        window(7, 8, 33, 9, {.kernel = 3, .before = 1, .dilation = 2}),
        of_images(2, window(10, 9, 3, 15, {.kernel = 5, .stride = 2, .before = 2})),
        window(8, 9, 2, 47, points),
        of_images(2, in_groups(3, window(6, 7, 32, 16, plain))),
        in_groups(2, window(6, 7, 16, 48, strided)),
        in_groups(4, window(5, 5, 16, 32, points))}) {
    check(direct_nchwc, c, 1e-6);
  }
}

// Widths around those of tiles, windows larger than the source, and borders wider than windows.
TEST_CASE("depthwise NCHWc convolutions equal direct sums") {
  for (const Convolution& c :
       {in_groups(32, window(9, 30, 1, 1, plain)), in_groups(17, window(15, 12, 1, 1, strided)),
        of_images(3, in_groups(24, window(7, 7, 1, 1, {.kernel = 5, .stride = 2, .before = 2}))),
        in_groups(40, window(11, 13, 1, 1, {.kernel = 3, .before = 2, .dilation = 2})),
        in_groups(9, window(11, 14, 1, 1, {.kernel = 2, .stride = 3, .before = 1, .dilation = 3})),
        in_groups(16, window(3, 40, 1, 1, {.kernel = 1, .stride = 3})),
        in_groups(16, window(90, 112, 1, 1, plain)),
        in_groups(32, window(2, 3, 1, 1, {.kernel = 3, .before = 4})),
        in_groups(20, window(1, 5, 1, 1, {.kernel = 5, .before = 2})),
        in_groups(600, window(2, 2, 1, 1, plain))}) {
    check(grouped_nchwc, c, 1e-6);
  }
  for (const int64_t columns : {1, 2, 3, 5, 6, 7, 13, 14, 15, 27, 28, 29, 30, 31}) {
    check(grouped_nchwc, in_groups(16, window(3, columns, 1, 1, plain)), 1e-6);
    check(grouped_nchwc, in_groups(16, window(4, 2 * columns, 1, 1, strided)), 1e-6);
  }
}

TEST_CASE("grouped NCHWc convolutions equal direct sums") {
  for (const Convolution& c :
       {in_groups(9, window(6, 8, 1, 2, plain)), in_groups(3, window(6, 8, 1, 16, plain)),
        in_groups(16, window(3, 40, 1, 4, {.kernel = 1, .stride = 3})),
        of_images(2, in_groups(5, window(9, 8, 4, 4, plain))),
        in_groups(9, window(9, 8, 2, 2, strided)), in_groups(3, window(9, 8, 8, 8, plain)),
        in_groups(6, window(5, 6, 2, 8, plain)), in_groups(2, window(5, 6, 8, 32, plain)),
        in_groups(16, window(90, 112, 1, 2, plain)),
        in_groups(8, window(2, 3, 2, 2, {.kernel = 3, .before = 4})),
        in_groups(20, window(1, 5, 1, 2, {.kernel = 5, .before = 2}))}) {
    REQUIRE(suits_grouped_nchwc(c, nchwc_kernels()) == (nchwc_kernels().nr > 0));
    check(grouped_nchwc, c, 1e-6);
  }
  for (const Convolution& c :
       {in_groups(2, window(5, 6, 3, 3, plain)), in_groups(4, window(5, 6, 8, 4, plain)),
        in_groups(4, window(5, 6, 4, 6, plain)), window(5, 6, 16, 16, plain)}) {
    CHECK_FALSE(suits_grouped_nchwc(c, nchwc_kernels()));
  }
}

TEST_CASE("bfloat16 NCHWc convolutions equal direct sums") {
  for (const Convolution& c :
       {window(9, 30, 32, 64, plain), window(7, 7, 96, 96, plain), window(5, 6, 64, 32, points),
        window(9, 8, 32, 32, {.kernel = 1, .stride = 2}), window(15, 12, 64, 64, strided),
        window(11, 13, 32, 32, {.kernel = 3, .stride = 1, .before = 2, .dilation = 2}),
        window(6, 43, 32, 32, {.kernel = 3}),
        window(20, 18, 3, 32, {.kernel = 7, .stride = 2, .before = 3}), window(8, 9, 5, 64, plain),
        window(9, 10, 4, 32, {.kernel = 5, .before = 2}), window(5, 7, 1, 32, {.kernel = 3}),
        of_images(3, window(7, 6, 32, 64, plain)), of_images(2, window(5, 5, 64, 64, points)),
        of_images(2, window(9, 9, 3, 32, strided)), window(9, 10, 34, 33, plain),
        window(6, 7, 30, 63, strided), window(5, 6, 17, 31, points),
        of_images(2, window(6, 7, 21, 40, plain))}) {
    check_pairs(c);
  }
}

TEST_CASE("NCHWc Winograd convolutions are within 5e-6 of direct sums") {
  for (const Convolution& c :
       {window(56, 56, 64, 32, plain), window(28, 28, 128, 64, plain),
        window(14, 14, 256, 32, plain), window(7, 9, 16, 32, plain),
        window(13, 6, 48, 64, {.kernel = 3}), window(4, 61, 32, 32, {.kernel = 3, .before = 2}),
        of_images(3, window(7, 7, 32, 64, plain)), of_images(8, window(14, 14, 64, 64, plain)),
        window(12, 13, 33, 17, plain), of_images(2, window(9, 8, 47, 40, plain)),
        window(8, 8, 15, 33, plain)}) {
    if (!all_cases() && c.height.output > 20) continue;
    check(winograd_nchwc, c, 5e-6);
  }
}

TEST_CASE("NCHWc Winograd serves only suitable windows") {
  CHECK(suits_winograd_nchwc(window(28, 28, 128, 128, plain)));
  CHECK_FALSE(suits_winograd_nchwc(window(14, 14, 256, 256, plain)));
  CHECK(suits_winograd_nchwc(of_images(2, window(14, 14, 256, 256, plain))));
  CHECK_FALSE(suits_winograd_nchwc(of_images(8, window(7, 7, 512, 512, plain))));
  CHECK_FALSE(suits_winograd_nchwc(window(28, 28, 128, 128, strided)));
  CHECK_FALSE(suits_winograd_nchwc(window(28, 28, 128, 128, points)));
  CHECK_FALSE(suits_winograd_nchwc(window(28, 28, 3, 64, plain)));
  CHECK_FALSE(suits_winograd_nchwc(in_groups(2, window(28, 28, 64, 64, plain))));
}

}  // namespace mithril::tests
