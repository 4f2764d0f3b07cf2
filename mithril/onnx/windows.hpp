// The windows of convolutions and pools: their sizes, steps and paddings.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "mithril/onnx/node_context.hpp"

namespace mithril::onnx {

struct WindowGrid {
  std::vector<std::int64_t> kernel, strides, dilations;     // one for each spatial axis
  std::vector<std::pair<std::int64_t, std::int64_t>> pads;  // before and after
  std::int64_t extent(std::size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
  bool is_symmetric() const;
};

// The windows over the axes after the first two of input 0, with `auto_pad` resolved.
WindowGrid windows_of(const NodeContext& node, std::vector<std::int64_t> kernel);

// Pads the last axes with the value.
Connection padded(const Connection& x,
                  const std::vector<std::pair<std::int64_t, std::int64_t>>& pads,
                  const Binding& value);
Binding pairs_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& pads);

// Convolution over any number of spatial axes up to three.
Connection convolved(const NodeContext& node, const Connection& x, const Connection& weight,
                     const Binding& bias, const std::vector<std::int64_t>& weight_dims);

}  // namespace mithril::onnx
