// Convolutions where channels stand in blocks: how far apart they are from sums in double
// precision, on each set of instructions, in any number of parts.
#include <doctest/doctest.h>

#include <cmath>

#include "backends/cpu/block_form.hpp"
#include "backends/cpu/block_winograd.hpp"
#include "tests/cpu/apart.hpp"
#include "tests/cpu/sums.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

// [N, C, H, W] as [N, C / 16, H, W, 16], or back.
std::vector<float> rearranged(const std::vector<float>& from, int64_t plane, bool to_blocks) {
  std::vector<float> to(from.size());
  for (int64_t i = 0; i < static_cast<int64_t>(from.size()); ++i) {
    const int64_t block = i / (plane * channel_block), place = i % plane;
    const int64_t channel = i / plane % channel_block;
    const int64_t at = (block * plane + place) * channel_block + channel;
    to_blocks ? to[static_cast<size_t>(at)] = from[static_cast<size_t>(i)]
              : to[static_cast<size_t>(i)] = from[static_cast<size_t>(at)];
  }
  return to;
}

template <typename Form>
std::vector<float> made(const ConvolutionSample& s, bool from_blocks, Instructions instructions,
                        int64_t parts) {
  const Form form(s.c, from_blocks, instructions);
  // Where nothing is written, or something else is read, it shows.
  const auto memory = [](int64_t count) {
    return std::vector<float>(static_cast<size_t>(count), std::nanf(""));
  };
  const auto given = s.input.values<float>();
  std::vector<float> source(given.begin(), given.end());
  if (from_blocks) source = rearranged(source, s.c.down.input * s.c.across.input, true);
  std::vector<float> weight = memory(form.weight_count()), laid = memory(form.laid_count()),
                     work = memory(form.part_count(parts)), to = memory(s.made_count());
  for (int64_t panel = 0; panel < form.panels(); ++panel) {
    form.transform_weight(s.weight.data<float>(), panel, weight.data());
  }
  for (int64_t part = 0; part < parts; ++part) {
    const auto [first, last] = WindowPart{part, parts}.share(form.laid_rows());
    form.lay(source.data(), first, last, laid.data());
  }
  const WindowPart cut = form.cut(parts);
  for (int64_t part = 0; part < parts; ++part) {
    form.multiply({.input = laid.empty() ? source.data() : laid.data(),
                   .weight = weight.data(),
                   .bias = s.bias.data<float>(),
                   .work = work.data(),
                   .made = to.data()},
                  {part, cut.parts, cut.of_rows});
  }
  return rearranged(to, s.c.down.output * s.c.across.output, false);
}

template <typename Form>
void check(const Convolution& c, double allowed) {
  CAPTURE(c.down.input);
  CAPTURE(c.inputs);
  const ConvolutionSample sample(c);
  const std::vector<double> sums = sample.expected();
  for (const Instructions instructions : present_instructions()) {
    if (block_kernels(instructions).width == 0) continue;
    CAPTURE(name(instructions));
    for (const bool from_blocks : {false, true}) {
      if (from_blocks && c.inputs % channel_block != 0) continue;
      const std::vector<float> alone = made<Form>(sample, from_blocks, instructions, 1);
      CHECK(relative_error(alone, sums) < allowed);
      for (const int64_t parts : {2, 3}) {
        CHECK(made<Form>(sample, from_blocks, instructions, parts) == alone);
      }
    }
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
  return {.down = along(down), .across = along(across), .inputs = inputs, .outputs = outputs};
}

constexpr WindowAxis points{.kernel = 1}, plain{.kernel = 3, .before = 1},
    strided{.kernel = 3, .stride = 2, .before = 1};

Convolution of_images(int64_t images, Convolution c) {
  c.images = images;
  return c;
}

}  // namespace

TEST_CASE("convolutions of channels in blocks are sums") {
  for (const Convolution& c :
       {window(9, 30, 32, 64, plain), window(7, 7, 96, 96, plain), window(5, 6, 64, 32, points),
        window(9, 8, 32, 32, {.kernel = 1, .stride = 2}), window(15, 12, 48, 64, strided),
        window(11, 13, 16, 32, {.kernel = 3, .stride = 1, .before = 2, .dilation = 2}),
        window(6, 33, 32, 32, {.kernel = 3}), window(3, 3, 80, 32, {.kernel = 3}),
        window(20, 18, 3, 32, {.kernel = 7, .stride = 2, .before = 3}), window(8, 9, 5, 64, plain),
        window(9, 10, 24, 32, {.kernel = 5, .before = 2}),
        window(12, 40, 1, 32, {.kernel = 11, .stride = 1, .before = 5}),
        of_images(3, window(7, 6, 32, 64, plain)), of_images(2, window(5, 5, 64, 64, points)),
        of_images(2, window(9, 9, 3, 32, strided))}) {
    check<BlockForm>(c, 1e-6);
  }
}

TEST_CASE("Winograd's convolutions of channels in blocks are within 5e-6 of sums") {
  for (const Convolution& c :
       {window(56, 56, 64, 32, plain), window(28, 28, 128, 64, plain),
        window(14, 14, 256, 32, plain), window(7, 9, 16, 32, plain),
        window(13, 6, 48, 64, {.kernel = 3}), window(4, 61, 32, 32, {.kernel = 3, .before = 2}),
        of_images(3, window(7, 7, 32, 64, plain)), of_images(8, window(14, 14, 64, 64, plain))}) {
    check<BlockWinograd>(c, 5e-6);
  }
}

TEST_CASE("only windows that suit it are done by Winograd's algorithm in blocks") {
  CHECK(suits_block_winograd(window(28, 28, 128, 128, plain)));
  CHECK_FALSE(suits_block_winograd(window(14, 14, 256, 256, plain)));
  CHECK(suits_block_winograd(of_images(2, window(14, 14, 256, 256, plain))));
  CHECK_FALSE(suits_block_winograd(of_images(8, window(7, 7, 512, 512, plain))));
  CHECK_FALSE(suits_block_winograd(window(28, 28, 128, 128, strided)));
  CHECK_FALSE(suits_block_winograd(window(28, 28, 128, 128, points)));
}

}  // namespace mithril::tests
