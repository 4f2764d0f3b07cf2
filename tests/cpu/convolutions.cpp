// Convolutions and their gradients against sums in the order of the book: windows of all kinds,
// each set of instructions, any number of parts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "backends/cpu/conv/implicit_gemm.hpp"
#include "backends/cpu/conv/weight_gradient.hpp"

namespace mithril::cpu_backend {
namespace {

// Computes the number of outputs from the other sizes; `after` is the padding at the end.
WindowAxis axis(int64_t input, int64_t kernel, int64_t stride = 1, int64_t before = 0,
                int64_t after = 0, int64_t dilation = 1) {
  const int64_t room = input + before + after - dilation * (kernel - 1) - 1;
  return {input, kernel, room / stride + 1, stride, before, dilation};
}

template <typename T>
std::vector<T> filled(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> numbers(static_cast<size_t>(count));
  for (T& number : numbers) number = std::uniform_real_distribution<T>(-1, 1)(random);
  return numbers;
}

template <typename T>
struct ConvolutionSample {
  Convolution c;
  std::vector<T> input, weight, bias, output;

  explicit ConvolutionSample(const Convolution& convolution)
      : c(convolution),
        input(filled<T>(c.images * c.groups * c.inputs * c.height.input * c.width.input, 1)),
        weight(filled<T>(c.groups * c.outputs * c.inputs * c.height.kernel * c.width.kernel, 2)),
        bias(filled<T>(c.groups * c.outputs, 3)),
        output(filled<T>(c.images * c.groups * c.outputs * c.height.output * c.width.output, 4)) {}

  // Calls body(input, weight, output, channel) with the indices of all products.
  template <typename Body>
  void each(Body body) const {
    const WindowAxis &y = c.height, &x = c.width;
    const int64_t taps = y.kernel * x.kernel;
    const auto inside = [](const WindowAxis& at, int64_t out, int64_t tap) {
      return out * at.stride - at.before + tap * at.dilation;
    };
    for (int64_t at = 0; at < static_cast<int64_t>(output.size()); ++at) {
      const int64_t column = at % x.output, row = at / x.output % y.output;
      const int64_t channel = at / (x.output * y.output) % (c.groups * c.outputs);
      const int64_t image = at / (x.output * y.output * c.groups * c.outputs);
      for (int64_t i = 0; i < c.inputs * taps; ++i) {
        const int64_t from_y = inside(y, row, i / x.kernel % y.kernel);
        const int64_t from_x = inside(x, column, i % x.kernel);
        if (from_y < 0 || from_x < 0 || from_y >= y.input || from_x >= x.input) continue;
        const int64_t group = channel / c.outputs;
        const int64_t source = (image * c.groups + group) * c.inputs + i / taps;
        body((source * y.input + from_y) * x.input + from_x, channel * c.inputs * taps + i, at,
             channel);
      }
    }
  }
};

// A sum and its tolerance.
struct Sum {
  double value = 0, size = 0;
  void add(double part) {
    value += part;
    size += std::abs(part);
  }
};

template <typename T>
std::string first_wrong(const std::vector<T>& made, const std::vector<Sum>& sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    const double allowed = 32 * std::numeric_limits<T>::epsilon() * sums[i].size;
    if (!(std::abs(made[i] - sums[i].value) <= allowed)) {
      return fmt::format("[{}] is {}, expected {}", i, made[i], sums[i].value);
    }
  }
  return {};
}

template <typename T>
std::vector<T> made(const ConvolutionForm& form, int64_t parts, const std::vector<T>& source,
                    const ConvolutionSample<T>& sample, const T* bias, size_t count) {
  // Unwritten elements, and reads outside of the operands, become visible.
  const auto memory = [](int64_t bytes) {
    return std::vector<T>(static_cast<size_t>(bytes) / sizeof(T), std::nan(""));
  };
  std::vector<T> packed = memory(form.weight_bytes()), planes = memory(form.source_bytes());
  std::vector<T> made(count, std::nan(""));
  for (int64_t panel = 0; panel < form.panels(); ++panel) {
    form.pack_weight(sample.weight.data(), panel, packed.data());
  }
  for (int64_t unit = 0; unit < form.units(); ++unit) {
    if (!planes.empty()) form.pad(source.data(), unit, {0, form.source_rows()}, planes.data());
    GemmPart cut = form.cut(parts);
    for (cut.part = 0; cut.part < parts; ++cut.part) {
      form.multiply({.source = planes.empty() ? source.data() : planes.data(),
                     .weight = packed.data(),
                     .bias = bias,
                     .made = made.data(),
                     .unit = unit},
                    cut);
    }
  }
  return made;
}

template <typename T>
std::vector<T> weight_gradient(const ConvolutionSample<T>& sample, Instructions instructions,
                               int64_t parts) {
  const GemmKernels<T>& kernels = gemm_kernels<T>(instructions);
  const WeightGradientForm<T> form(sample.c, kernels);
  const auto memory = [](int64_t count) {
    return std::vector<T>(static_cast<size_t>(count), std::nan(""));
  };
  std::vector<T> padded = memory(form.padded_count()), packed = memory(form.packed_count()),
                 sums = memory(form.sum_count());
  std::vector<T> weight(sample.weight.size());
  const int64_t each = static_cast<int64_t>(weight.size()) / sample.c.groups;
  for (int64_t group = 0; group < sample.c.groups && sample.c.images > 0; ++group) {
    for (int64_t image = 0; image < sample.c.images; ++image) {
      const int64_t at = image * sample.c.groups + group;
      const int64_t plane = sample.c.height.input * sample.c.width.input;
      form.pad(sample.input.data() + at * sample.c.inputs * plane, 0, form.rows(), padded.data());
      form.pack(sample.output.data() + at * sample.c.outputs * form.places(), 0, form.tiles(),
                packed.data());
      GemmPart cut = form.cut(parts);
      for (cut.part = 0; cut.part < parts; ++cut.part) {
        form.multiply(packed.data(), padded.data(), image > 0, cut, sums.data());
      }
    }
    form.finish(sums.data(), weight.data() + group * each);
  }
  return weight;
}

template <typename T>
void check(const Convolution& convolution) {
  const ConvolutionSample<T> sample(convolution);
  std::vector<Sum> outputs(sample.output.size()), inputs(sample.input.size()),
      weights(sample.weight.size());
  const int64_t plane = convolution.height.output * convolution.width.output;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].add(sample.bias[i / static_cast<size_t>(plane) % sample.bias.size()]);
  }
  sample.each([&](int64_t x, int64_t w, int64_t y, int64_t) {
    const double weight = sample.weight[static_cast<size_t>(w)];
    outputs[static_cast<size_t>(y)].add(weight * sample.input[static_cast<size_t>(x)]);
    inputs[static_cast<size_t>(x)].add(weight * sample.output[static_cast<size_t>(y)]);
    weights[static_cast<size_t>(w)].add(static_cast<double>(sample.input[static_cast<size_t>(x)]) *
                                        sample.output[static_cast<size_t>(y)]);
  });
  for (const Instructions instructions : present_instructions()) {
    CAPTURE(name(instructions));
    const GemmKernels<T>& kernels = gemm_kernels<T>(instructions);
    const auto forwards = implicit_gemm<T>(forward_geometry(convolution, kernels.nr), kernels);
    const auto backwards =
        implicit_gemm<T>(input_gradient_geometry(convolution, kernels.nr), kernels);
    const auto output = [&](int64_t parts) {
      return made<T>(*forwards, parts, sample.input, sample, sample.bias.data(), outputs.size());
    };
    const auto input = [&](int64_t parts) {
      return made<T>(*backwards, parts, sample.output, sample, nullptr, inputs.size());
    };
    CHECK(first_wrong(output(1), outputs) == "");
    CHECK(first_wrong(input(1), inputs) == "");
    CHECK(first_wrong(weight_gradient(sample, instructions, 1), weights) == "");
    for (const int64_t parts : {2, 3}) {
      CHECK(weight_gradient(sample, instructions, parts) ==
            weight_gradient(sample, instructions, 1));
      CHECK(output(parts) == output(1));
      CHECK(input(parts) == input(1));
    }
  }
}

void check_both(const Convolution& convolution) {
  check<float>(convolution);
  check<double>(convolution);
}

}  // namespace

TEST_CASE("convolutions with all kinds of windows match direct sums") {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t dilation : {1, 2, 3}) {
      for (const int64_t before : {0, 1, 4}) {
        CAPTURE(stride);
        CAPTURE(dilation);
        CAPTURE(before);
        check_both({.height = axis(9, 3, stride, before, 1, dilation),
                    .width = axis(11, 2, 1, 1, before, dilation),
                    .inputs = 2,
                    .outputs = 3});
        check<float>({.height = axis(7, 1, stride, before, 0, dilation),
                      .width = axis(13, 3, stride, before, before, dilation),
                      .images = 2,
                      .inputs = 3,
                      .outputs = 2});
      }
    }
  }
}

TEST_CASE("1x1 convolutions match direct sums") {
  for (const int64_t size : {1, 3, 5, 6, 8, 17}) {
    CAPTURE(size);
    check_both({.height = axis(size, 1), .width = axis(size, 1), .inputs = 5, .outputs = 15});
  }
}

TEST_CASE("convolutions with channel counts around tile sizes match direct sums") {
  for (const int64_t outputs : {1, 5, 6, 7, 13, 14, 15, 29}) {
    CAPTURE(outputs);
    check<float>({.height = axis(4, 3, 1, 1, 1),
                  .width = axis(17, 3, 1, 1, 1),
                  .inputs = 2,
                  .outputs = outputs});
  }
  check<float>(
      {.height = axis(5, 3, 1, 1, 1), .width = axis(5, 3, 1, 1, 1), .inputs = 60, .outputs = 20});
  check<double>(
      {.height = axis(4, 3, 2, 1, 1), .width = axis(5, 3, 2, 1, 1), .inputs = 61, .outputs = 9});
}

TEST_CASE("grouped and depthwise convolutions match direct sums") {
  for (const int64_t groups : {2, 5}) {
    for (const int64_t channels : {1, 3}) {
      check_both({.height = axis(6, 3, 2, 1, 1),
                  .width = axis(7, 3, 1, 1, 1),
                  .images = 2,
                  .groups = groups,
                  .inputs = channels,
                  .outputs = 2 * channels});
    }
  }
}

TEST_CASE("convolutions of images larger than a column block match direct sums") {
  check<float>(
      {.height = axis(40, 3, 1, 1, 1), .width = axis(37, 5, 1, 2, 2), .inputs = 3, .outputs = 16});
  check<float>(
      {.height = axis(33, 7, 2, 3, 3), .width = axis(32, 7, 2, 3, 3), .inputs = 3, .outputs = 8});
  check<double>({.height = axis(30, 1), .width = axis(31, 1), .inputs = 7, .outputs = 8});
}

TEST_CASE("convolutions without elements run") {
  check<float>({.height = axis(3, 2), .width = axis(3, 2), .images = 0});
  check<float>({.height = axis(3, 2), .width = axis(3, 2), .inputs = 0, .outputs = 2});
  check<float>({.height = axis(3, 2), .width = axis(3, 2), .inputs = 2, .outputs = 0});
}

}  // namespace mithril::cpu_backend
