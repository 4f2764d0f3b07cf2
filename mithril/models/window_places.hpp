// The positions of the taps of windows, as indices for gather and scatter_add.
#pragma once
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// [count, kernel]: of each window along one axis.
inline Connection window_places(const Connection& count, int64_t kernel, int64_t stride,
                                int64_t dilation) {
  std::vector<int64_t> taps;
  for (int64_t tap = 0; tap < kernel; ++tap) taps.push_back(tap * dilation);
  const Connection begins = apply("arange", {count}) * stride;
  return begins.reshape({-1, 1}) + Tensor::of({kernel}, taps);
}

}  // namespace mithril
