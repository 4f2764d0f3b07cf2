#include "tests/cpu/convolution_sample.hpp"

#include <algorithm>
#include <cmath>

#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {

using namespace cpu_backend;

ConvolutionSample::ConvolutionSample(const Convolution& convolution)
    : c(convolution),
      input(random({c.images, c.input_channels(), c.height.input, c.width.input}, 1)),
      weight(random({c.output_channels(), c.inputs, c.height.kernel, c.width.kernel}, 2)),
      bias(random({c.output_channels()}, 3)) {}

std::vector<double> ConvolutionSample::expected() const {
  const int64_t taps = c.height.kernel * c.width.kernel;
  const auto at = [](const WindowAxis& axis, int64_t out, int64_t tap) {
    return out * axis.stride - axis.before + tap * axis.dilation;
  };
  std::vector<double> sums;
  for (int64_t i = 0; i < made_count(); ++i) {
    const int64_t x = i % c.width.output, y = i / c.width.output % c.height.output;
    const int64_t channel = i / (c.width.output * c.height.output);
    const int64_t image = channel / c.output_channels(), out = channel % c.output_channels();
    double sum = bias.data<float>()[out];
    for (int64_t k = 0; k < c.inputs * taps; ++k) {
      const int64_t row = at(c.height, y, k / c.width.kernel % c.height.kernel);
      const int64_t column = at(c.width, x, k % c.width.kernel);
      if (row < 0 || column < 0 || row >= c.height.input || column >= c.width.input) continue;
      const int64_t group = image * c.groups + out / c.outputs;
      const int64_t plane = group * c.inputs + k / taps;
      const int64_t from = (plane * c.height.input + row) * c.width.input + column;
      sum += static_cast<double>(input.data<float>()[from]) *
             weight.data<float>()[out * c.inputs * taps + k];
    }
    sums.push_back(sum);
  }
  return sums;
}

double relative_error(const std::vector<float>& made, const std::vector<double>& expected) {
  double difference_norm = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference_norm += std::pow(made[i] - expected[i], 2);
    size += std::pow(expected[i], 2);
  }
  return std::sqrt(difference_norm / size);
}

double largest_error(const std::vector<float>& made, const std::vector<double>& expected) {
  double difference_norm = 0, size = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference_norm = std::max(difference_norm, std::abs(made[i] - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  return difference_norm / size;
}

}  // namespace mithril::tests
