// Direct convolutions in the NCHW16c (blocked) layout (layout/assign_layouts.hpp). Each tile
// computes a few neighbouring pixels for a panel of output channels, over contiguous runs of k in
// the source.
#include "backends/cpu/conv/nchwc_form.hpp"

#include <cstddef>
#include <limits>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {
namespace {

// Bytes of the source that a group of tiles reads: they stay in the L2 cache.
constexpr int64_t group_bytes = 1 << 19;
// Number of tiles after which the epilogue runs, while their results are in the L1 cache.
constexpr int64_t epilogue_tiles = 8;
// Block size of k, in elements.
constexpr int64_t span_depth = 256;
constexpr int64_t line = 64 / int64_t{sizeof(float)};

bool has_border(const WindowAxis& axis) { return axis.before > 0 || axis.extent() > axis.input; }

// The convolution in units of the kernels: float32 channels, or VNNI pairs.
Convolution seen(const Convolution& c, const NchwcKernels& kernels) {
  return kernels.of_pairs() ? in_pairs(c) : c;
}

// Whether the source has so few channels that runs of kernel rows are longer than blocks would be.
bool is_narrow(const Convolution& c, const NchwcKernels& kernels) {
  constexpr int64_t shortest = 3;
  if (c.groups > 1 || c.width.dilation > 1 || c.inputs >= channel_block) return false;
  return kernels.of_pairs() ? c.width.kernel * seen(c, kernels).inputs <= channel_block
                            : c.width.kernel >= shortest;
}

// All images of a convolution. With kernels for bfloat16, channels are VNNI pairs. A run of k is a
// block of input channels under one tap of the window; the last block has only the channels that
// the group has, so padded channels are not read. A planar source with few channels is read in
// place: a run is then one kernel row, of one channel in float32, of all channels in VNNI pairs,
// which padding makes contiguous.
class DirectNchwc final : public NchwcForm {
 public:
  DirectNchwc(const Convolution& convolution, NchwcLayouts layouts, const NchwcKernels& kernels)
      : NchwcForm(seen(convolution, kernels), layouts, kernels.block),
        channels_(convolution.input_channels()),
        kernels_(&kernels),
        narrow_(!from_blocks_ && is_narrow(convolution, kernels)),
        in_place_((narrow_ ? !kernels.of_pairs() : from_blocks_) && !has_border(c_.height) &&
                  !has_border(c_.width)),
        packing_(&gemm_kernels<float>()),
        unit_(!narrow_             ? channel_block
              : kernels.of_pairs() ? c_.inputs
                                   : 1),
        group_planes_(up(c_.inputs, unit_)),
        planes_(c_.groups * group_planes_),
        group_blocks_(up(c_.outputs, kernels.block)),
        group_panels_(up(c_.outputs, kernels.nr)),
        height_(in_place_ ? c_.height.input : c_.height.extent()),
        width_(in_place_ ? c_.width.input : c_.width.extent()),
        image_step_(planes_ * height_ * width_ * unit_) {
    const int64_t tap_columns = narrow_ ? 1 : c_.width.kernel;
    for (int64_t plane = 0; plane < group_planes_; ++plane) {
      for (int64_t y = 0; y < c_.height.kernel; ++y) {
        for (int64_t x = 0; x < tap_columns; ++x) {
          const int64_t row = plane * height_ + y * c_.height.dilation;
          offsets_.push_back(static_cast<int32_t>((row * width_ + x * c_.width.dilation) * unit_));
        }
      }
    }
    const auto runs = static_cast<int64_t>(offsets_.size());
    const int64_t last_channels = c_.inputs - (group_planes_ - 1) * unit_;
    const int64_t whole = last_channels == unit_ ? runs : runs - runs / group_planes_;
    add_spans(0, whole, narrow_ ? c_.width.kernel * unit_ : unit_);
    add_spans(whole, runs, last_channels);
    const bool one_row = c_.height.stride == 1 && c_.width.stride == 1 && width_ == c_.width.output;
    rows_ = one_row ? 1 : c_.height.output;
    columns_ = one_row ? plane() : c_.width.output;
    row_tiles_ = up(columns_, kernels_->mr);
    for (int64_t i = 0; i <= row_tiles_; ++i) tile_columns_.push_back(columns_ * i / row_tiles_);
    const int64_t places = columns_ / row_tiles_ * c_.height.stride * c_.width.stride;
    const int64_t tile_bytes = places * c_.inputs * int64_t{sizeof(float)};
    group_ = std::max<int64_t>(group_bytes / std::max<int64_t>(tile_bytes, 1), 1);
  }

  double work() const override {
    // A product of VNNI pairs takes a quarter of the time of a float32 product.
    const double each = kernels_->of_pairs() ? 4 : 1;
    return static_cast<double>(weight_count()) * static_cast<double>(c_.images * plane()) / each;
  }
  PackedFormat format() const override {
    return {narrow_ ? PackedLayout::direct_nchw : PackedLayout::direct_nchwc, c_.groups};
  }
  int64_t panels() const override { return c_.groups * group_panels_; }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  // Channels beyond the last one have zero weights.
  void pack_weight(const void* weight, int64_t panel, void* packed) const override {
    const int64_t nr = kernels_->nr, taps = c_.height.kernel * c_.width.kernel;
    const int64_t first = panel % group_panels_ * nr, count = std::min(nr, c_.outputs - first);
    const float* from =
        static_cast<const float*>(weight) + (panel / group_panels_ * c_.outputs + first) * depth();
    float* panel_to = static_cast<float*>(packed) + panel * panel_count();
    if (count < nr) std::fill_n(panel_to, panel_count(), 0.0f);
    if (taps == 1) {
      return packing_->transpose_pack({.from = from,
                                       .from_step = c_.inputs,
                                       .count = count,
                                       .depth = c_.inputs,
                                       .to = panel_to,
                                       .to_step = nr});
    }
    for (int64_t plane = 0; plane < group_planes_; ++plane) {
      const int64_t begin = plane * unit_, channels = std::min(unit_, c_.inputs - begin);
      for (int64_t j = 0; j < count; ++j) {
        const float* next = from + (j * c_.inputs + begin) * taps;
        float* k_to = panel_to + begin * taps * nr + j;
        for (int64_t in = 0; in < channels; ++in) {
          for (int64_t tap = 0; tap < taps; ++tap) k_to[(tap * channels + in) * nr] = *next++;
        }
      }
    }
  }

  int64_t source_bytes() const override {
    return in_place_ ? 0 : c_.images * image_step_ * int64_t{sizeof(float)};
  }
  // The rows of the padded planes of all images.
  int64_t source_rows() const override { return in_place_ ? 0 : c_.images * height_; }
  void pad(const void* source, int64_t /*unit*/, Range rows, void* padded) const override {
    for (int64_t row = rows.first; row < rows.last; ++row) {
      const int64_t image = row / height_, y = row % height_;
      pad_row(static_cast<const float*>(source), image, y - c_.height.before,
              static_cast<float*>(padded) + image * image_step_ + y * width_ * unit_);
    }
  }
  // If the weight is larger than the source, each thread reads only its own panels of the weight.
  GemmPart cut(int64_t parts) const override {
    const int64_t source = c_.images * c_.input_channels() * c_.height.input * c_.width.input;
    if (panels() % parts == 0 && weight_count() > source) {
      return {.part = 0, .parts = parts, .of_rows = true};
    }
    return tiles() >= 4 * parts ? GemmPart{.part = 0, .parts = parts}
                                : cut_evenly(panels(), tiles(), parts);
  }

  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override {
    const auto [first_panel, last_panel] = part.rows(panels());
    const auto [first, last] = part.columns(tiles());
    for (int64_t group = first; group < last; group += group_) {
      for (int64_t panel = first_panel; panel < last_panel; ++panel) {
        multiply_panel(operands, panel, {group, std::min(group + group_, last)});
      }
    }
    if (kernels_->release) kernels_->release();
  }

 private:
  // Neighbouring output pixels that one micro-kernel call computes.
  struct Tile {
    int64_t image, first, count;
    int64_t from;  // offset of the first pixel's window in the source
  };
  // Runs [first, last) of equal length, whose weights stay in the L1 cache. `k`: the number of k
  // before them.
  struct Span {
    int64_t first, last, run, k;
  };

  // The position of a tile: its image, its row of the output, and its number in that row.
  struct TilePosition {
    int64_t image, y, part;
  };

  TilePosition position(int64_t tile) const {
    const int64_t row = tile / row_tiles_;
    return {.image = row / rows_, .y = row % rows_, .part = tile % row_tiles_};
  }

  // The position after this one. Counting takes less time than dividing for each tile.
  TilePosition next(TilePosition at) const {
    if (++at.part < row_tiles_) return at;
    at.part = 0;
    if (++at.y < rows_) return at;
    return {.image = at.image + 1, .y = 0, .part = 0};
  }

  Tile tile(const TilePosition& at) const {
    const int64_t* column = tile_columns_.data() + at.part;
    const int64_t place = at.y * c_.height.stride * width_ + column[0] * c_.width.stride;
    return {.image = at.image,
            .first = at.y * columns_ + column[0],
            .count = column[1] - column[0],
            .from = at.image * image_step_ + place * unit_};
  }

  int64_t tiles() const { return c_.images * rows_ * row_tiles_; }
  int64_t depth() const { return c_.inputs * c_.height.kernel * c_.width.kernel; }
  int64_t panel_count() const { return depth() * kernels_->nr; }
  int64_t weight_count() const { return panels() * panel_count(); }
  int64_t plane() const { return c_.height.output * c_.width.output; }
  void add_spans(int64_t first, int64_t last, int64_t run) {
    const int64_t runs = last - first, count = up(runs * run, span_depth);
    int64_t k = spans_.empty() ? 0 : depth() - runs * run;
    for (int64_t i = 0; i < count; ++i) {
      const Span span{first + runs * i / count, first + runs * (i + 1) / count, run, k};
      k += (span.last - span.first) * run;
      spans_.push_back(span);
    }
  }

  // Each span prefetches the weights of the next one.
  void multiply_panel(const ConvolutionOperands& o, int64_t panel, Range tiles) const {
    const int64_t nr = kernels_->nr, block = kernels_->block, block_step = plane() * block;
    const int64_t group = panel / group_panels_, within = panel % group_panels_ * (nr / block);
    const int64_t blocks = std::min(nr / block, group_blocks_ - within);
    const int64_t first_block = group * group_blocks_ + within;
    const float* input =
        static_cast<const float*>(o.source) + group * group_planes_ * height_ * width_ * unit_;
    const float* weight = static_cast<const float*>(o.weight) + panel * panel_count();
    auto* made = static_cast<float*>(o.made);
    const PanelBias bias(o.bias, first_block * block, c_.output_channels(), nr);
    const Clamp* clamp = kernels_->of_pairs() ? nullptr : o.epilogue.clamp();
    const auto made_at = [&](const Tile& tile) {
      return (tile.image * c_.groups * group_blocks_ + first_block) * block_step +
             tile.first * block;
    };
    for (const Span& span : spans_) {
      const bool is_last = &span == &spans_.back();
      const int64_t runs = span.last - span.first, span_runs = (tiles.last - tiles.first) * runs;
      const NchwcKernels::Tiles& kernels = kernels_->tiles(
          narrow_ && !kernels_->of_pairs(), c_.width.stride, span.run, blocks * block < nr);
      const int64_t lines = up(up(runs * span.run * nr, line), span_runs);
      const float* weights = weight + (span.k + runs * span.run) * nr;  // that tiles prefetch
      int64_t unfinished = 0;                                           // tiles before the epilogue
      TilePosition position = this->position(tiles.first);
      Tile begin{};  // the first of them
      for (int64_t i = tiles.first; i < tiles.last; ++i, weights += lines * runs * line) {
        const Tile at = tile(position);
        position = next(position);
        if (unfinished++ == 0) begin = at;
        kernels[static_cast<size_t>(at.count)]({.a = input + at.from,
                                                .a_step = c_.width.stride * unit_,
                                                .offsets = offsets_.data() + span.first,
                                                .runs = runs,
                                                .run = span.run,
                                                .b = weight + span.k * nr,
                                                .c = made + made_at(at),
                                                .c_step = block_step,
                                                .add = span.k > 0,
                                                .bias = bias.lanes(),
                                                .next = weights,
                                                .lines = lines,
                                                .clamp = is_last ? clamp : nullptr});
        if (clamp) continue;
        const bool ends = i + 1 == tiles.last || position.image > at.image;
        if (!is_last || (!ends && unfinished < epilogue_tiles)) continue;
        o.epilogue.run({.begin = made_at(begin),
                        .size = (at.first + at.count - begin.first) * block,
                        .rows = blocks,
                        .step = block_step});
        unfinished = 0;
      }
    }
  }

  void pad_row(const float* source, int64_t image, int64_t y, float* to) const {
    const int64_t before = c_.width.before, count = std::min(c_.width.input, width_ - before);
    const auto element =
        static_cast<int64_t>(kernels_->of_pairs() ? sizeof(uint16_t) : sizeof(float));
    const int64_t channels = from_blocks_ ? planes_ * kernels_->block : channels_;
    const auto* from = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(source) +
                                                      image * channels * c_.height.input *
                                                          c_.width.input * element);
    for (int64_t plane = 0; plane < planes_; ++plane, to += height_ * width_ * unit_) {
      if (y < 0 || y >= c_.height.input) {
        std::fill_n(to, width_ * unit_, 0.0f);
        continue;
      }
      std::fill_n(to, before * unit_, 0.0f);
      copy_pixels(from, plane, y, to + before * unit_);
      std::fill(to + (before + count) * unit_, to + width_ * unit_, 0.0f);
    }
  }

  // Copies the pixels of one row of the source, without padding.
  void copy_pixels(const float* image, int64_t plane, int64_t y, float* to) const {
    const int64_t width = c_.width.input, count = std::min(width, width_ - c_.width.before);
    const int64_t source_plane = c_.height.input * width;
    if (from_blocks_ || (narrow_ && !kernels_->of_pairs())) {
      std::copy_n(image + (plane * source_plane + y * width) * unit_, count * unit_, to);
    } else if (!kernels_->of_pairs()) {
      packing_->transpose_pack({.from = image + plane * unit_ * source_plane + y * width,
                                .from_step = source_plane,
                                .count = std::min(unit_, channels_ - plane * unit_),
                                .depth = count,
                                .to = to,
                                .to_step = unit_});
    } else {
      const int64_t first = plane * 2 * unit_, last = std::min(first + 2 * unit_, channels_);
      auto* halves = reinterpret_cast<uint16_t*>(to);
      if (last - first < 2 * unit_) std::fill_n(to, count * unit_, 0.0f);
      for (int64_t channel = first; channel < last; ++channel) {
        const auto* from =
            reinterpret_cast<const uint16_t*>(image) + channel * source_plane + y * width;
        uint16_t* next = halves + channel - first;
        for (int64_t x = 0; x < count; ++x) next[x * 2 * unit_] = from[x];
      }
    }
  }

  int64_t channels_;  // channels of the source, not of pairs
  const NchwcKernels* kernels_;
  bool narrow_, in_place_;
  const GemmKernels<float>* packing_;
  int64_t unit_;          // contiguous elements of a pixel
  int64_t group_planes_;  // planes of such pixels in each group, one for each block of channels
  int64_t planes_;        // of all groups
  int64_t group_blocks_, group_panels_;  // of output channels
  int64_t height_, width_;               // of a plane, in pixels, with the padding
  int64_t image_step_;
  std::vector<int32_t> offsets_;  // of each run
  std::vector<Span> spans_;
  int64_t rows_, columns_, row_tiles_;  // of the output; one row if it is contiguous
  std::vector<int64_t> tile_columns_;   // the first column of each tile of a row, and the end
  int64_t group_;                       // tiles for which a panel of the weight stays in the cache
};

}  // namespace

bool suits_direct_nchwc(const Convolution& c, const NchwcKernels& kernels) {
  constexpr int64_t most_elements = std::numeric_limits<int32_t>::max();
  if (kernels.nr == 0 || c.outputs == 0 || c.inputs == 0) return false;
  const int64_t block = kernels.block;
  // Groups begin at blocks. AMX has no kernels for half a panel.
  const bool fits =
      c.groups == 1 || (!kernels.of_pairs() && c.inputs % block == 0 && c.outputs % block == 0);
  if (!fits || 2 * c.outputs <= block || c.width.stride > 2) return false;
  if (c.height.output * c.width.output == 0) return false;
  const auto extent = [](const WindowAxis& axis) { return std::max(axis.extent(), axis.input); };
  const int64_t channels = up(c.input_channels(), block) * block;
  return extent(c.height) <= most_elements / extent(c.width) / channels;
}

std::shared_ptr<const ConvolutionForm> direct_nchwc(const Convolution& convolution,
                                                    NchwcLayouts layouts,
                                                    const NchwcKernels& kernels) {
  return std::make_shared<DirectNchwc>(convolution, layouts, kernels);
}

}  // namespace mithril::cpu_backend
