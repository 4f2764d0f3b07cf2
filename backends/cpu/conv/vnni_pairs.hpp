// Channels of bfloat16 as VNNI pairs: element i of channel 2c and of channel 2c + 1 become one
// 32-bit pair, which has the size of a float.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/implicit_gemm_geometry.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// The same convolution with VNNI pairs of input channels in place of float32 channels.
Convolution in_pairs(Convolution convolution);

// `groups` groups of `channels` planes of `size` elements. An odd last channel is paired with 0.
struct PairedPlanes {
  int64_t groups = 0, channels = 0, size = 0;

  int64_t count() const { return groups * ((channels + 1) / 2); }  // planes of pairs
  int64_t bytes() const;                                           // in whole cache lines
  // Packs the planes [first, last) of pairs.
  void pack(const uint16_t* from, int64_t first, int64_t last, float* to) const;
};
PairedPlanes planes_of_source(const Convolution& convolution);
PairedPlanes planes_of_weight(const Dims& dims);

// Packs a bfloat16 weight to VNNI pairs of input channels.
std::vector<float> paired_weight(const Tensor& weight);

}  // namespace mithril::cpu_backend
