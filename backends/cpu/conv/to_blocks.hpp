// Conversion of NCHW sources to the NCHW16c layout.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Converts the blocks of channels [first, last), counted through all images of `channels` planes of
// `plane` pixels. Lanes beyond the last channel become 0.
inline void convert_to_blocks(const float* source, int64_t channels, int64_t plane, int64_t first,
                              int64_t last, float* to) {
  const int64_t blocks = up(channels, channel_block);
  for (int64_t i = first; i < last; ++i) {
    const int64_t channel = i % blocks * channel_block;
    const int64_t count = std::min(channel_block, channels - channel);
    float* block = to + i * plane * channel_block;
    if (count < channel_block) std::fill_n(block, plane * channel_block, 0.0f);
    gemm_kernels<float>().interleave({.from = source + (i / blocks * channels + channel) * plane,
                                      .from_step = plane,
                                      .count = count,
                                      .depth = plane,
                                      .to = block,
                                      .to_step = channel_block});
  }
}

}  // namespace mithril::cpu_backend
