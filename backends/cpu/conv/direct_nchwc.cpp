#include "backends/cpu/conv/direct_nchwc.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "backends/cpu/conv/bf16_convolution.hpp"
#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Bytes of the source that a group of tiles reads: they stay in the L2 cache.
constexpr int64_t group_bytes = 1 << 19;
// Number of tiles after which the epilogue runs, while their results are in the L1 cache.
constexpr int64_t epilogue_tiles = 8;
// Block size of k, in elements.
constexpr int64_t span_depth = 256;
constexpr int64_t line = 64 / int64_t{sizeof(float)};

int64_t reach(const WindowAxis& axis) {
  return (axis.output - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
}

bool has_border(const WindowAxis& axis) { return axis.before > 0 || reach(axis) > axis.input; }

// The convolution in units of the kernels: float32 channels, or VNNI pairs.
Convolution seen(const Convolution& c, const NchwcKernels& kernels) {
  return kernels.of_pairs() ? in_pairs(c) : c;
}

bool is_narrow(const Convolution& c, const NchwcKernels& kernels) {
  return c.inputs % kernels.block != 0;
}

bool fits_a_run(const Convolution& c, const NchwcKernels& kernels) {
  constexpr int64_t shortest = 3;
  if (c.width.dilation > 1) return false;
  return kernels.of_pairs() ? c.width.kernel * seen(c, kernels).inputs <= channel_block
                            : c.width.kernel >= shortest;
}

}  // namespace

bool suits_direct_nchwc(const Convolution& c, const NchwcKernels& kernels) {
  constexpr int64_t most_elements = std::numeric_limits<int32_t>::max();
  if (kernels.nr == 0 || c.groups != 1 || c.outputs == 0 || c.inputs == 0) return false;
  if (c.outputs % kernels.nr != 0 || c.width.stride > 2) return false;
  if (c.height.output * c.width.output == 0) return false;
  if (is_narrow(c, kernels) && !fits_a_run(c, kernels)) return false;
  const auto extent = [](const WindowAxis& axis) { return std::max(reach(axis), axis.input); };
  return extent(c.height) <= most_elements / extent(c.width) / c.inputs;
}

DirectNchwc::DirectNchwc(const Convolution& convolution, bool from_blocks,
                         const NchwcKernels& kernels)
    : c_(seen(convolution, kernels)),
      channels_(convolution.inputs),
      kernels_(&kernels),
      from_blocks_(from_blocks),
      narrow_(is_narrow(convolution, kernels)),
      in_place_((narrow_ ? !kernels.of_pairs() : from_blocks) && !has_border(c_.height) &&
                !has_border(c_.width)),
      run_tile_(narrow_ && !kernels.of_pairs()
                    ? &kernels.plane_tiles(c_.width.stride, c_.width.kernel)
                    : &kernels.blocks[c_.width.stride - 1]),
      rearranging_(&gemm_kernels<float>()),
      unit_(!narrow_             ? channel_block
            : kernels.of_pairs() ? c_.inputs
                                 : 1),
      planes_(c_.inputs / unit_),
      height_(in_place_ ? c_.height.input : reach(c_.height)),
      width_(in_place_ ? c_.width.input : reach(c_.width)),
      image_step_(planes_ * height_ * width_ * unit_),
      run_(narrow_ ? c_.width.kernel * unit_ : channel_block) {
  const int64_t tap_columns = narrow_ ? 1 : c_.width.kernel;
  for (int64_t plane = 0; plane < planes_; ++plane) {
    for (int64_t y = 0; y < c_.height.kernel; ++y) {
      for (int64_t x = 0; x < tap_columns; ++x) {
        const int64_t row = plane * height_ + y * c_.height.dilation;
        offsets_.push_back(static_cast<int32_t>((row * width_ + x * c_.width.dilation) * unit_));
      }
    }
  }
  const bool one_row = c_.height.stride == 1 && c_.width.stride == 1 && width_ == c_.width.output;
  rows_ = one_row ? 1 : c_.height.output;
  columns_ = one_row ? plane() : c_.width.output;
  row_tiles_ = up(columns_, kernels_->mr);
  const int64_t places = columns_ / row_tiles_ * c_.height.stride * c_.width.stride;
  const int64_t tile_bytes = places * c_.inputs * int64_t{sizeof(float)};
  group_ = std::max<int64_t>(group_bytes / std::max<int64_t>(tile_bytes, 1), 1);
}

double DirectNchwc::work() const {
  // A product of VNNI pairs takes a quarter of the time of a float32 product.
  const double each = kernels_->of_pairs() ? 4 : 1;
  return static_cast<double>(weight_count()) * static_cast<double>(c_.images * plane()) / each;
}

// If the weight is larger than the source, each thread reads only its own panels of the weight.
WindowPart DirectNchwc::cut(int64_t parts) const {
  const bool of_panels = panels() % parts == 0 &&
                         weight_count() > c_.images * c_.inputs * c_.height.input * c_.width.input;
  if (of_panels) return {.part = 0, .parts = parts, .of_rows = true};
  return tiles() >= 4 * parts ? WindowPart{.part = 0, .parts = parts}
                              : cut_evenly(panels(), tiles(), parts);
}

void DirectNchwc::transform_weight(const float* weight, int64_t panel, float* to) const {
  const int64_t nr = kernels_->nr, taps = c_.height.kernel * c_.width.kernel;
  float* panel_to = to + panel * panel_count();
  if (taps == 1) {
    return rearranging_->interleave({.from = weight + panel * nr * c_.inputs,
                                     .from_step = c_.inputs,
                                     .count = nr,
                                     .depth = c_.inputs,
                                     .to = panel_to,
                                     .to_step = nr});
  }
  for (int64_t plane = 0; plane < planes_; ++plane) {
    for (int64_t j = 0; j < nr; ++j) {
      const float* from = weight + ((panel * nr + j) * c_.inputs + plane * unit_) * taps;
      float* next = panel_to + plane * taps * unit_ * nr + j;
      for (int64_t in = 0; in < unit_; ++in) {
        for (int64_t tap = 0; tap < taps; ++tap) next[(tap * unit_ + in) * nr] = *from++;
      }
    }
  }
}

void DirectNchwc::pad(const float* source, int64_t first, int64_t last, float* padded) const {
  for (int64_t row = first; row < last; ++row) {
    const int64_t image = row / height_, y = row % height_;
    pad_row(source, image, y - c_.height.before, padded + image * image_step_ + y * width_ * unit_);
  }
}

void DirectNchwc::pad_row(const float* source, int64_t image, int64_t y, float* to) const {
  const int64_t before = c_.width.before, count = std::min(c_.width.input, width_ - before);
  const auto element =
      static_cast<int64_t>(kernels_->of_pairs() ? sizeof(uint16_t) : sizeof(float));
  const auto* from = reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(source) +
                                                    image * channels_ * c_.height.input *
                                                        c_.width.input * element);
  for (int64_t plane = 0; plane < planes_; ++plane, to += height_ * width_ * unit_) {
    if (y < 0 || y >= c_.height.input) {
      std::fill_n(to, width_ * unit_, 0.0f);
      continue;
    }
    std::fill_n(to, before * unit_, 0.0f);
    pad_places(from, plane, y, to + before * unit_);
    std::fill(to + (before + count) * unit_, to + width_ * unit_, 0.0f);
  }
}

// Copies the pixels of one row of the source, without padding.
void DirectNchwc::pad_places(const float* image, int64_t plane, int64_t y, float* to) const {
  const int64_t nr = c_.width.input, count = std::min(nr, width_ - c_.width.before);
  const int64_t source_plane = c_.height.input * nr;
  if (from_blocks_ || (narrow_ && !kernels_->of_pairs())) {
    std::copy_n(image + (plane * source_plane + y * nr) * unit_, count * unit_, to);
  } else if (!kernels_->of_pairs()) {
    rearranging_->interleave({.from = image + plane * unit_ * source_plane + y * nr,
                              .from_step = source_plane,
                              .count = unit_,
                              .depth = count,
                              .to = to,
                              .to_step = unit_});
  } else {
    const int64_t first = plane * 2 * unit_, last = std::min(first + 2 * unit_, channels_);
    auto* halves = reinterpret_cast<uint16_t*>(to);
    if (last - first < 2 * unit_) std::fill_n(to, count * unit_, 0.0f);
    for (int64_t channel = first; channel < last; ++channel) {
      const auto* from = reinterpret_cast<const uint16_t*>(image) + channel * source_plane + y * nr;
      uint16_t* next = halves + channel - first;
      for (int64_t x = 0; x < count; ++x) next[x * 2 * unit_] = from[x];
    }
  }
}

DirectNchwc::Tile DirectNchwc::tile(int64_t i) const {
  const int64_t row = i / row_tiles_, part = i % row_tiles_;
  const int64_t image = row / rows_, y = row % rows_;
  const int64_t x = columns_ * part / row_tiles_;
  const int64_t place = y * c_.height.stride * width_ + x * c_.width.stride;
  return {.image = image,
          .first = y * columns_ + x,
          .count = columns_ * (part + 1) / row_tiles_ - x,
          .from = image * image_step_ + place * unit_};
}

void DirectNchwc::multiply(const PanelOperands& operands, const WindowPart& part) const {
  const auto [first_panel, last_panel] = part.rows(panels());
  const auto [first, last] = part.columns(tiles());
  for (int64_t group = first; group < last; group += group_) {
    for (int64_t panel = first_panel; panel < last_panel; ++panel) {
      multiply_panel(operands, panel, {group, std::min(group + group_, last)});
    }
  }
  if (kernels_->release) kernels_->release();
}

// Processes k in spans whose weights stay in the L1 cache. Each span prefetches the weights of the
// next one.
void DirectNchwc::multiply_panel(const PanelOperands& o, int64_t panel,
                                 WindowPart::Range tiles) const {
  const auto runs = static_cast<int64_t>(offsets_.size());
  const int64_t block = kernels_->block, blocks = kernels_->nr / block;
  const int64_t block_step = plane() * block;
  const int64_t spans = up(runs * run_, span_depth), run_count = run_ * kernels_->nr;
  const float* weight = o.weight + panel * panel_count();
  const auto made_at = [&](const Tile& tile) {
    return (tile.image * c_.outputs / block + panel * blocks) * block_step + tile.first * block;
  };
  for (int64_t span = 0; span < spans; ++span) {
    const int64_t first = runs * span / spans, last = runs * (span + 1) / spans;
    const int64_t span_runs = (tiles.last - tiles.first) * (last - first);
    const int64_t lines = up(up((last - first) * run_count, line), span_runs);
    const float* next = weight + last * run_count;
    int64_t unfinished = tiles.first;
    for (int64_t i = tiles.first; i < tiles.last; ++i, next += lines * (last - first) * line) {
      const Tile at = tile(i);
      (*run_tile_)[static_cast<size_t>(at.count)](
          {.a = o.input + at.from,
           .a_step = c_.width.stride * unit_,
           .offsets = offsets_.data() + first,
           .runs = last - first,
           .run = run_,
           .b = weight + first * run_count,
           .c = o.made + made_at(at),
           .c_step = block_step,
           .add = span > 0,
           .bias = o.bias ? o.bias + panel * kernels_->nr : nullptr,
           .next = next,
           .lines = lines});
      const bool ends = i + 1 == tiles.last || (i + 1) % (rows_ * row_tiles_) == 0;
      if (last < runs || (!ends && i + 1 - unfinished < epilogue_tiles)) continue;
      const Tile begin = tile(unfinished);
      o.epilogue.run({.begin = made_at(begin),
                      .size = (at.first + at.count - begin.first) * block,
                      .rows = blocks,
                      .step = block_step});
      unfinished = i + 1;
    }
  }
}

}  // namespace mithril::cpu_backend
