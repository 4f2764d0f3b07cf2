#include "backends/cpu/conv/depthwise_nchwc.hpp"

#include <algorithm>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Number of pixels after which the epilogue runs, while their results are in the L1 cache.
constexpr int64_t epilogue_pixels = 128;

// The taps that read elements of the source.
GemmPart::Range valid_taps(const WindowAxis& axis, int64_t output) {
  const int64_t begin = output * axis.stride - axis.before;
  const int64_t last = up(std::max<int64_t>(axis.input - begin, 0), axis.dilation);
  const int64_t first = std::min(up(std::max<int64_t>(-begin, 0), axis.dilation), axis.kernel);
  return {first, std::clamp(last, first, axis.kernel)};
}

// The outputs for which all taps are valid.
GemmPart::Range inner_outputs(const WindowAxis& axis) {
  const int64_t first = std::min(up(axis.before, axis.stride), axis.output);
  const int64_t room = axis.input - 1 + axis.before - (axis.kernel - 1) * axis.dilation;
  const int64_t last = room < 0 ? 0 : room / axis.stride + 1;
  return {first, std::clamp(last, first, axis.output)};
}

}  // namespace

DepthwiseNchwc::DepthwiseNchwc(const Convolution& convolution, NchwcLayouts layouts,
                               const NchwcKernels& kernels)
    : GroupedNchwc(convolution, layouts, kernels), inner_columns_(inner_outputs(c_.width)) {
  for (int64_t y = 0; y < c_.height.kernel; ++y) {
    for (int64_t x = 0; x < c_.width.kernel; ++x) {
      const int64_t pixel = y * c_.height.dilation * c_.width.input + x * c_.width.dilation;
      offsets_.push_back(static_cast<int32_t>(pixel * channel_block));
    }
  }
  for (int64_t y = 0; y < c_.height.output; ++y) row_taps_.push_back(valid_taps(c_.height, y));
  for (int64_t x = 0; x < inner_columns_.first; ++x) add_border(x);
  for (int64_t x = inner_columns_.last; x < c_.width.output; ++x) add_border(x);
}

void DepthwiseNchwc::add_border(int64_t x) {
  const Range taps = valid_taps(c_.width, x);
  border_.push_back({x, taps, border_taps_.size()});
  for (int64_t y = 0; y < c_.height.kernel; ++y) {
    for (int64_t tap = taps.first; tap < taps.last; ++tap) {
      border_taps_.push_back(static_cast<int32_t>(y * c_.width.kernel + tap));
    }
  }
}

// Whether parts share rows of the result rather than blocks of channels. The 1 x 1 convolution that
// often makes the source shares its rows in this case (see DirectNchwc::cut), so that each thread
// reads what it has written.
bool DepthwiseNchwc::shares_rows() const {
  return c_.images * c_.height.input * c_.width.input >= c_.input_channels();
}

void DepthwiseNchwc::multiply(const ConvolutionOperands& o, const GemmPart& part) const {
  const int64_t height = c_.height.output;
  // Runs rows of planes, of which every `step`-th counts, from `first_plane` on.
  const auto run = [&](Range rows, int64_t first_plane, int64_t step) {
    for (int64_t row = rows.first; row < rows.last;) {
      const int64_t plane = row / height, last = std::min(rows.last, (plane + 1) * height);
      run_rows(o, first_plane + plane * step, {row - plane * height, last - plane * height});
      row = last;
    }
  };
  if (shares_rows()) {
    const Range rows = part.share(c_.images * height);
    for (int64_t block = 0; block < panels(); ++block) run(rows, block, panels());
  } else {
    run(part.share(c_.images * panels() * height), 0, 1);
  }
}

// `plane`: of an image and a block of channels.
void DepthwiseNchwc::run_rows(const ConvolutionOperands& o, int64_t plane, Range rows) const {
  const int64_t block = plane % panels(), columns = c_.width.output;
  const int64_t source_row = c_.width.input * channel_block;
  const PanelBias bias(o.bias, block * channel_block, c_.output_channels(), channel_block);
  const auto* source = static_cast<const float*>(o.source) + plane * c_.height.input * source_row;
  auto* made = static_cast<float*>(o.made);
  const Clamp* clamp = o.epilogue.clamp();
  LaneTile tile{.a_step = c_.width.stride * channel_block,
                .b = static_cast<const float*>(o.weight) + block * depth() * channel_block,
                .bias = bias.lanes(),
                .clamp = clamp};
  int64_t begin = (plane * c_.height.output + rows.first) * columns, end = begin;
  for (int64_t y = rows.first; y < rows.last; ++y) {
    const int64_t top = y * c_.height.stride - c_.height.before;
    tile.c = made + end * channel_block;
    run_row(tile, source + top * source_row - c_.width.before * channel_block, y);
    end += columns;
    if (clamp || (end - begin < epilogue_pixels && y + 1 < rows.last)) continue;
    o.epilogue.run({.begin = begin * channel_block, .size = (end - begin) * channel_block});
    begin = end;
  }
}

// `first_tap`: where the first tap of the first column would be read.
void DepthwiseNchwc::run_row(const LaneTile& row, const float* first_tap, int64_t y) const {
  const Range taps = row_taps_[static_cast<size_t>(y)];
  LaneTile tile = row;
  tile.offsets = offsets_.data();
  const auto run = [&](NchwcKernels::Run kernel, int64_t x) {
    tile.a = first_tap + x * tile.a_step;
    tile.c = row.c + x * channel_block;
    kernel(tile);
  };
  for (const BorderColumn& at : border_) {
    const int64_t count = at.taps.last - at.taps.first;
    tile.taps = border_taps_.data() + at.first + taps.first * count;
    tile.runs = (taps.last - taps.first) * count;
    run(kernels_->lanes_of_taps, at.x);
  }
  const int64_t first = taps.first * c_.width.kernel;
  tile.offsets += first;
  tile.b += first * channel_block;
  tile.runs = (taps.last - taps.first) * c_.width.kernel;
  tile.pixels = inner_columns_.last - inner_columns_.first;
  const int64_t stride = c_.width.stride;
  if (tile.pixels > 0) run(kernels_->lanes[stride <= 2 ? stride : 0], inner_columns_.first);
}

}  // namespace mithril::cpu_backend
