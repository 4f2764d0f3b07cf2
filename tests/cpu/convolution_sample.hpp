// Convolutions of random elements, and their expected results in double precision.
#pragma once

#include <vector>

#include "backends/cpu/conv/geometry.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::tests {

struct ConvolutionSample {
  cpu_backend::Convolution c;
  Tensor input, weight, bias;

  explicit ConvolutionSample(const cpu_backend::Convolution& convolution);
  int64_t made_count() const {
    return c.images * c.output_channels() * c.height.output * c.width.output;
  }
  std::vector<double> expected() const;
};

// ||made - expected|| / ||expected||
double relative_error(const std::vector<float>& made, const std::vector<double>& expected);
// The largest difference, relative to the largest expected element.
double largest_error(const std::vector<float>& made, const std::vector<double>& expected);

}  // namespace mithril::tests
