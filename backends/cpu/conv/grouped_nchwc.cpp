#include "backends/cpu/conv/nchwc_form.hpp"

#include <limits>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Bytes of the padded source of a band: they stay in the L2 cache.
constexpr int64_t band_bytes = 1 << 17;
// Number of pixels after which the epilogue of a depthwise convolution runs, while their results
// are in the L1 cache.
constexpr int64_t epilogue_pixels = 128;

// Convolutions whose lanes are output channels: the packed weight, and the conversion of a planar
// source to the blocked layout. All images are one unit.
class LanesNchwc : public NchwcForm {
 public:
  double work() const override {
    return static_cast<double>(weight_count()) *
           static_cast<double>(c_.images * c_.height.output * c_.width.output);
  }
  PackedFormat format() const override { return {PackedLayout::grouped_nchwc, c_.groups}; }
  int64_t panels() const override { return blocks_; }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override {
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

  GemmPart cut(int64_t parts) const override { return {.part = 0, .parts = parts}; }

 protected:
  LanesNchwc(const Convolution& convolution, NchwcLayouts layouts, const NchwcKernels& kernels)
      : NchwcForm(convolution, layouts, channel_block),
        kernels_(&kernels),
        blocks_(up(c_.output_channels(), channel_block)),
        input_blocks_(up(c_.input_channels(), channel_block)) {}

  int64_t depth() const { return c_.inputs * c_.height.kernel * c_.width.kernel; }

  const NchwcKernels* kernels_;
  const int64_t blocks_, input_blocks_;  // of output and of input channels

 private:
  int64_t weight_count() const { return blocks_ * depth() * channel_block; }
};

// A band is a few rows of the result for one block of channels. Its source is padded, and each
// input channel of a group is put into the lanes of the group's output channels.
class GroupedNchwc final : public LanesNchwc {
 public:
  GroupedNchwc(const Convolution& convolution, NchwcLayouts layouts, const NchwcKernels& kernels)
      : LanesNchwc(convolution, layouts, kernels),
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

  int64_t work_bytes(int64_t /*parts*/) const override {
    return row_count_ * input_rows(band_rows_) * int64_t{sizeof(float)};
  }

  void multiply(const ConvolutionOperands& o, const GemmPart& part) const override {
    const int64_t columns = c_.width.output, plane = c_.height.output * columns;
    const int64_t source_plane = c_.height.input * c_.width.input;
    auto* padded = static_cast<float*>(o.work);
    const auto [begin, end] = part.share(c_.images * blocks_ * bands_);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t band = i % bands_, block = i / bands_ % blocks_, image = i / bands_ / blocks_;
      const auto [first, last] = Range{0, c_.height.output}.part(band, bands_);
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

 private:
  int64_t input_rows(int64_t rows) const {
    return (rows - 1) * c_.height.stride + (c_.height.kernel - 1) * c_.height.dilation + 1;
  }
  // The first input channel that a block of output channels depends on.
  int64_t first_input(int64_t block) const {
    return block * channel_block / c_.outputs * c_.inputs;
  }

  // Pads the source of a band. `source` is a block of input channels.
  void pad_band(const float* source, int64_t block, int64_t first_row, int64_t rows,
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

  int64_t width_, row_count_;     // pixels and elements of a padded row
  int64_t band_rows_, bands_;     // bands of a plane, and the rows of the result in each
  std::vector<int32_t> offsets_;  // of each tap and input channel
  std::vector<int32_t> lanes_;    // per block and input channel of a group: see LaneSelection
};

// The outputs for which all taps are valid.
Range inner_outputs(const WindowAxis& axis) {
  return {axis.begin(0), std::max(axis.begin(0), axis.end(axis.kernel - 1))};
}

// Depthwise: each group has one input and one output channel. Reads the source in place. Taps
// beyond its borders are left out.
class DepthwiseNchwc final : public LanesNchwc {
 public:
  DepthwiseNchwc(const Convolution& convolution, NchwcLayouts layouts, const NchwcKernels& kernels)
      : LanesNchwc(convolution, layouts, kernels), inner_columns_(inner_outputs(c_.width)) {
    for (int64_t y = 0; y < c_.height.kernel; ++y) {
      for (int64_t x = 0; x < c_.width.kernel; ++x) {
        const int64_t pixel = y * c_.height.dilation * c_.width.input + x * c_.width.dilation;
        offsets_.push_back(static_cast<int32_t>(pixel * channel_block));
      }
    }
    for (int64_t y = 0; y < c_.height.output; ++y) row_taps_.push_back(c_.height.taps_of(y));
    for (int64_t x = 0; x < inner_columns_.first; ++x) add_border(x);
    for (int64_t x = inner_columns_.last; x < c_.width.output; ++x) add_border(x);
  }

  // Counts a multiplication as four, because each also loads an element of the source.
  double work() const override { return 4 * LanesNchwc::work(); }

  void multiply(const ConvolutionOperands& o, const GemmPart& part) const override {
    const int64_t height = c_.height.output;
    // Computes these rows, which are counted through the planes first_plane, first_plane + step,
    // first_plane + 2 * step and so on.
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

 private:
  // A column of the result for which taps are beyond the left or the right border.
  struct BorderColumn {
    int64_t x;
    WindowAxis::Taps taps;  // of a row of the kernel
    size_t first;           // in border_taps_: the taps of all rows of the kernel
  };

  void add_border(int64_t x) {
    const WindowAxis::Taps taps = c_.width.taps_of(x);
    border_.push_back({x, taps, border_taps_.size()});
    for (int64_t y = 0; y < c_.height.kernel; ++y) {
      for (int64_t tap = taps.first; tap < taps.last; ++tap) {
        border_taps_.push_back(static_cast<int32_t>(y * c_.width.kernel + tap));
      }
    }
  }

  // Whether parts share rows of the result rather than blocks of channels. The 1 x 1 convolution
  // that often makes the source shares its rows in this case (see DirectNchwc::cut), so that each
  // thread reads what it has written.
  bool shares_rows() const {
    return c_.images * c_.height.input * c_.width.input >= c_.input_channels();
  }

  // `plane`: of an image and a block of channels.
  void run_rows(const ConvolutionOperands& o, int64_t plane, Range rows) const {
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
  void run_row(const LaneTile& row, const float* first_tap, int64_t y) const {
    const WindowAxis::Taps taps = row_taps_[static_cast<size_t>(y)];
    LaneTile tile = row;
    tile.offsets = offsets_.data();
    const auto run = [&](NchwcKernels::RunLanes kernel, int64_t x) {
      tile.a = first_tap + x * tile.a_step;
      tile.c = row.c + x * channel_block;
      kernel(tile);
    };
    for (const BorderColumn& at : border_) {
      const int64_t count = at.taps.count();
      tile.taps = border_taps_.data() + at.first + taps.first * count;
      tile.runs = taps.count() * count;
      run(kernels_->lanes_of_taps, at.x);
    }
    const int64_t first = taps.first * c_.width.kernel;
    tile.offsets += first;
    tile.b += first * channel_block;
    tile.runs = taps.count() * c_.width.kernel;
    tile.pixels = inner_columns_.last - inner_columns_.first;
    const int64_t stride = c_.width.stride;
    if (tile.pixels > 0) run(kernels_->lanes[stride <= 2 ? stride : 0], inner_columns_.first);
  }

  std::vector<int32_t> offsets_;  // of each tap in the source
  std::vector<WindowAxis::Taps>
      row_taps_;         // of each row of the result: the rows of the kernel that count
  Range inner_columns_;  // columns of the result without taps beyond a border
  std::vector<BorderColumn> border_;
  std::vector<int32_t> border_taps_;
};

}  // namespace

bool suits_grouped_nchwc(const Convolution& c, const NchwcKernels& kernels) {
  if (!kernels.select || c.groups == 1 || c.inputs == 0 || c.outputs == 0) return false;
  if (c.height.output * c.width.output == 0 || 2 * c.output_channels() <= channel_block)
    return false;
  const bool divides = channel_block % c.outputs == 0 || c.outputs % channel_block == 0;
  if (!divides || channel_block % c.inputs != 0 || c.inputs > c.outputs) return false;
  constexpr int64_t most_elements = std::numeric_limits<int32_t>::max();
  const int64_t rows = (c.height.kernel - 1) * c.height.dilation + 1;
  const int64_t width = std::max(c.width.extent(), c.width.input);
  return rows <= most_elements / width / (c.inputs * channel_block);
}

std::shared_ptr<const ConvolutionForm> grouped_nchwc(const Convolution& convolution,
                                                     NchwcLayouts layouts,
                                                     const NchwcKernels& kernels) {
  if (convolution.inputs == 1 && convolution.outputs == 1) {
    return std::make_shared<DepthwiseNchwc>(convolution, layouts, kernels);
  }
  return std::make_shared<GroupedNchwc>(convolution, layouts, kernels);
}

}  // namespace mithril::cpu_backend
