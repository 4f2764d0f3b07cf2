#include "backends/cpu/conv/grouped_nchwc.hpp"

#include <algorithm>
#include <limits>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Bytes of the padded source of a band: they stay in the L2 cache.
constexpr int64_t band_bytes = 1 << 17;

}  // namespace

bool suits_grouped_nchwc(const Convolution& c, const NchwcKernels& kernels) {
  if (!kernels.select || c.groups == 1 || c.inputs == 0 || c.outputs == 0) return false;
  if (c.height.output * c.width.output == 0 || 2 * c.output_channels() <= channel_block)
    return false;
  const bool divides = channel_block % c.outputs == 0 || c.outputs % channel_block == 0;
  if (!divides || channel_block % c.inputs != 0 || c.inputs > c.outputs) return false;
  constexpr int64_t most_elements = std::numeric_limits<int32_t>::max();
  const int64_t rows = (c.height.kernel - 1) * c.height.dilation + 1;
  return rows <= most_elements / c.width.extent() / (c.inputs * channel_block);
}

GroupedNchwc::GroupedNchwc(const Convolution& convolution, NchwcLayouts layouts,
                           const NchwcKernels& kernels)
    : NchwcForm(convolution, layouts, channel_block),
      kernels_(&kernels),
      blocks_(up(c_.output_channels(), channel_block)),
      input_blocks_(up(c_.input_channels(), channel_block)),
      width_(c_.width.extent()),
      row_count_(width_ * c_.inputs * channel_block) {
  const int64_t fitting = band_bytes / (row_count_ * int64_t{sizeof(float)});
  const int64_t most = std::max<int64_t>((fitting - input_rows(1)) / c_.height.stride + 1, 1);
  bands_ = up(c_.height.output, most);
  band_rows_ = up(c_.height.output, bands_);
  for (int64_t y = 0; y < c_.height.kernel; ++y) {
    for (int64_t x = 0; x < c_.width.kernel; ++x) {
      for (int64_t in = 0; in < c_.inputs; ++in) {
        const int64_t pixel = y * c_.height.dilation * width_ + x * c_.width.dilation;
        offsets_.push_back(static_cast<int32_t>((pixel * c_.inputs + in) * channel_block));
      }
    }
  }
  for (int64_t block = 0; block < blocks_; ++block) {
    for (int64_t in = 0; in < c_.inputs; ++in) {
      for (int64_t channel = block * channel_block; channel < (block + 1) * channel_block;
           ++channel) {
        const int64_t input = channel / c_.outputs * c_.inputs + in;
        lanes_.push_back(static_cast<int32_t>(input % channel_block));
      }
    }
  }
}

double GroupedNchwc::work() const {
  return static_cast<double>(weight_count()) *
         static_cast<double>(c_.images * c_.height.output * c_.width.output);
}

int64_t GroupedNchwc::source_bytes() const {
  const int64_t block_bytes =
      c_.height.input * c_.width.input * channel_block * int64_t{sizeof(float)};
  return from_blocks_ ? 0 : source_rows() * block_bytes;
}

void GroupedNchwc::pack_weight(const void* weight, int64_t panel, void* packed) const {
  const int64_t taps = c_.height.kernel * c_.width.kernel;
  const int64_t first = panel * channel_block;
  const auto* from = static_cast<const float*>(weight);
  float* next = static_cast<float*>(packed) + panel * depth() * channel_block;
  for (int64_t tap = 0; tap < taps; ++tap) {
    for (int64_t in = 0; in < c_.inputs; ++in) {
      for (int64_t channel = first; channel < first + channel_block; ++channel) {
        const bool exists = channel < c_.output_channels();
        *next++ = exists ? from[(channel * c_.inputs + in) * taps + tap] : 0.0f;
      }
    }
  }
}

// Pads the source of a band. `source` is a block of input channels.
void GroupedNchwc::pad_band(const float* source, int64_t block, int64_t first_row, int64_t rows,
                            float* to) const {
  const int64_t pixel = c_.inputs * channel_block, before = c_.width.before;
  const int64_t count = std::clamp<int64_t>(width_ - before, 0, c_.width.input);
  const int64_t begin = std::min(before, width_);
  for (int64_t row = 0; row < rows; ++row, to += row_count_) {
    const int64_t y = first_row + row;
    if (y < 0 || y >= c_.height.input) {
      std::fill_n(to, row_count_, 0.0f);
      continue;
    }
    const float* from = source + y * c_.width.input * channel_block;
    std::fill_n(to, begin * pixel, 0.0f);
    kernels_->select({.from = from,
                      .pixels = count,
                      .inputs = c_.inputs,
                      .lanes = lanes_.data() + block * pixel,
                      .to = to + begin * pixel});
    std::fill(to + (begin + count) * pixel, to + row_count_, 0.0f);
  }
}

void GroupedNchwc::multiply(const ConvolutionOperands& o, const GemmPart& part) const {
  const int64_t columns = c_.width.output, plane = c_.height.output * columns;
  const int64_t source_plane = c_.height.input * c_.width.input;
  auto* padded = static_cast<float*>(o.work);
  const auto [begin, end] = part.share(c_.images * blocks_ * bands_);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t band = i % bands_, block = i / bands_ % blocks_, image = i / bands_ / blocks_;
    const int64_t first = c_.height.output * band / bands_;
    const int64_t last = c_.height.output * (band + 1) / bands_;
    const int64_t from = image * input_blocks_ + first_input(block) / channel_block;
    pad_band(static_cast<const float*>(o.source) + from * source_plane * channel_block, block,
             first * c_.height.stride - c_.height.before, input_rows(last - first), padded);
    const PanelBias bias(o.bias, block * channel_block, c_.output_channels(), channel_block);
    const int64_t made = ((image * blocks_ + block) * plane + first * columns) * channel_block;
    for (int64_t y = 0; y < last - first; ++y) {
      kernels_->lanes[0](
          {.a = padded + y * c_.height.stride * row_count_,
           .a_step = c_.width.stride * c_.inputs * channel_block,
           .offsets = offsets_.data(),
           .runs = depth(),
           .b = static_cast<const float*>(o.weight) + block * depth() * channel_block,
           .c = static_cast<float*>(o.made) + made + y * columns * channel_block,
           .bias = bias.lanes(),
           .pixels = columns});
    }
    o.epilogue.run({.begin = made, .size = (last - first) * columns * channel_block});
  }
}

}  // namespace mithril::cpu_backend
