#include "backends/cpu/conv/nchwc_form.hpp"

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

int64_t NchwcForm::made_bytes() const {
  if (to_blocks_) return 0;
  return c_.images * up(c_.output_channels(), block_) * block_ * c_.height.output *
         c_.width.output * int64_t{sizeof(float)};
}

// Converts a part of the blocked result to NCHW.
void NchwcForm::store(const void* from, void* made, const Epilogue& epilogue,
                      const GemmPart& part) const {
  const int64_t plane = c_.height.output * c_.width.output, channels = c_.output_channels();
  const int64_t blocks = up(channels, block_);
  const auto [first, last] = part.share(c_.images * blocks);
  for (int64_t i = first; i < last; ++i) {
    const int64_t channel = i % blocks * block_, count = std::min(block_, channels - channel);
    const int64_t begin = (i / blocks * channels + channel) * plane;
    gemm_kernels<float>().transpose_pack(
        {.from = static_cast<const float*>(from) + i * plane * block_,
         .from_step = block_,
         .count = plane,
         .depth = count,
         .to = static_cast<float*>(made) + begin,
         .to_step = plane});
    epilogue.run({.begin = begin, .size = count * plane});
  }
}

int64_t NchwcForm::source_rows() const {
  return c_.images * up(c_.input_channels(), channel_block);
}

int64_t NchwcForm::source_bytes() const {
  if (from_blocks_) return 0;
  return source_rows() * c_.height.input * c_.width.input * channel_block * int64_t{sizeof(float)};
}

void NchwcForm::pad(const void* source, int64_t /*unit*/, Range range, void* padded) const {
  const int64_t channels = c_.input_channels(), blocks = up(channels, channel_block);
  const int64_t plane = c_.height.input * c_.width.input;
  for (int64_t i = range.first; i < range.last; ++i) {
    const int64_t channel = i % blocks * channel_block;
    const int64_t count = std::min(channel_block, channels - channel);
    const int64_t first = (i / blocks * channels + channel) * plane;
    float* block = static_cast<float*>(padded) + i * plane * channel_block;
    if (count < channel_block) std::fill_n(block, plane * channel_block, 0.0f);
    gemm_kernels<float>().transpose_pack({.from = static_cast<const float*>(source) + first,
                                          .from_step = plane,
                                          .count = count,
                                          .depth = plane,
                                          .to = block,
                                          .to_step = channel_block});
  }
}

}  // namespace mithril::cpu_backend
