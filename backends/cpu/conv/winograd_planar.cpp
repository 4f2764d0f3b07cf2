#include "backends/cpu/conv/winograd_planar.hpp"

#include <algorithm>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

// Bands of tiles that one panel of the weight meets while it is in the cache.
constexpr int64_t band_block = 4;
// A cache line and the longest vector, in elements.
constexpr int64_t line = 16;

}  // namespace

bool suits_winograd_planar(const Convolution& c) {
  const auto is_plain = [](const WindowAxis& axis) {
    return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
  };
  if (!is_plain(c.height) || !is_plain(c.width)) return false;
  // Below these limits the transforms cost as much as they save. Above them, reading the
  // transformed weights (four times as many as before) or writing the transformed input does. With
  // many images the weights stay in a cache closer to the core.
  constexpr int64_t fewest_channels = 32, most_elements = 1 << 22, many_images = 8;
  const int64_t fewest_tiles = c.images < many_images ? 20 : 16;
  const int64_t tiles = up(c.height.output, 4) * up(c.width.output, 4);
  return c.inputs >= fewest_channels && c.outputs >= fewest_channels && tiles >= fewest_tiles &&
         36 * c.inputs * c.outputs <= most_elements && 36 * c.inputs * tiles <= most_elements;
}

WinogradPlanar::WinogradPlanar(const Convolution& convolution, Instructions instructions)
    : c_(convolution),
      products_(&gemm_kernels<float>(instructions)),
      transforms_(&winograd_kernels(instructions)),
      nr_(products_->nr),
      tile_rows_(up(c_.height.output, 4)),
      tile_columns_(up(c_.width.output, 4)),
      tiles_((tile_rows_ - 1) * (tile_columns_ + 1) + tile_columns_),
      bands_(up(tiles_, products_->mr)),
      mr_(up(tiles_, bands_)),
      slot_(up(products_->mr, nr_ / 2) * (nr_ / 2)),
      panels_(up(c_.outputs, nr_)),
      pitch_(tile_columns_ + 1),
      // Rows are written in whole vectors, and reads pass the last tile.
      plane_(((tile_rows_ + 1) * pitch_ / line + 3) * line) {}

double WinogradPlanar::work() const {
  return 36.0 * static_cast<double>(tiles_) * static_cast<double>(c_.inputs) *
         static_cast<double>(c_.outputs);
}

int64_t WinogradPlanar::part_count() const {
  const int64_t row = 4 * up(pitch_, line) * line;
  return std::max(16 * plane_ + row, 36 * sum_step(std::min(band_block, bands_)));
}

void WinogradPlanar::transform_weight(const float* weight, int64_t panel, float* to) const {
  const int64_t element = c_.inputs * nr_;
  for (int64_t in = 0; in < c_.inputs; ++in) {
    transforms_->weight({.from = weight + (panel * element + in) * 9,
                         .from_step = c_.inputs * 9,
                         .channels = std::min(nr_, c_.outputs - panel * nr_),
                         .nr = nr_,
                         .to = to + panel * 36 * element + in * nr_,
                         .to_step = element});
  }
}

void WinogradPlanar::transform_input(const float* input, int64_t first, int64_t last, float* work,
                                     float* to) const {
  for (int64_t channel = first; channel < last; ++channel) {
    pad_channel(input + channel * c_.height.input * c_.width.input, work + 16 * plane_, work);
    for (int64_t band = 0; band < bands_; ++band) {
      transforms_->input({.planes = work + band * mr_,
                          .plane = plane_,
                          .pitch = pitch_,
                          .to = to + (band * c_.inputs + channel) * slot_,
                          .to_step = input_step(),
                          .count = mr_});
    }
  }
}

// Splits one padded channel into 16 planes: element (y, x) goes to plane (y % 4) * 4 + x % 4.
void WinogradPlanar::pad_channel(const float* input, float* row, float* planes) const {
  const int64_t count = up(pitch_, line) * line;
  const int64_t begin = std::min(c_.width.before, 4 * count);
  const int64_t columns = std::min(c_.width.input, 4 * count - begin);
  std::fill_n(row, 4 * count, 0.0f);
  for (int64_t y = 0; y < 4 * (tile_rows_ + 1); ++y) {
    float* to = planes + y % 4 * 4 * plane_ + y / 4 * pitch_;
    const int64_t from = y - c_.height.before;
    if (from >= 0 && from < c_.height.input) {
      std::copy_n(input + from * c_.width.input, columns, row + begin);
      transforms_->row({.from = row, .to = to, .plane = plane_, .count = count});
    } else {
      for (int64_t plane = 0; plane < 4; ++plane) std::fill_n(to + plane * plane_, count, 0.0f);
    }
  }
}

// Computes one panel of output channels.
class WinogradPlanar::Panel {
 public:
  Panel(const WinogradPlanar& form, const PanelOperands& operands, int64_t panel)
      : f_(form),
        o_(operands),
        channels_(std::min(form.nr_, form.c_.outputs - panel * form.nr_)),
        weight_(operands.weight + panel * 36 * form.c_.inputs * form.nr_),
        made_(operands.made + panel * form.nr_ * plane()) {
    if (operands.bias) std::copy_n(operands.bias + panel * form.nr_, channels_, bias_);
  }

  void run(int64_t first, int64_t last) {
    for (int64_t band = first; band < last; band += band_block) {
      run_bands(band, std::min(band + band_block, last));
      epilogue(std::min(band + band_block, last));
    }
  }

 private:
  int64_t plane() const { return f_.c_.height.output * f_.c_.width.output; }

  // Runs the epilogue on the output rows that are complete before the given band.
  void epilogue(int64_t band) {
    const int64_t tiles = band * f_.mr_ / (f_.tile_columns_ + 1);
    const int64_t rows = band == f_.bands_ ? f_.c_.height.output : 4 * tiles;
    const int64_t columns = f_.c_.width.output;
    o_.epilogue.run({.begin = made_ - o_.made + finished_ * columns,
                     .size = (rows - finished_) * columns,
                     .rows = channels_,
                     .step = plane()});
    finished_ = rows;
  }

  int64_t tiles_of(int64_t band) const { return std::min(f_.mr_, f_.tiles_ - band * f_.mr_); }

  void run_bands(int64_t first, int64_t last) {
    const int64_t inputs = f_.c_.inputs, band_sums = f_.mr_ * f_.nr_;
    const int64_t step = f_.sum_step(last - first);
    const auto prefetching = Prefetching::of<float>(inputs * f_.nr_, inputs, last - first);
    for (int64_t k = 0; k < 36; ++k) {
      const float* weight = weight_ + k * inputs * f_.nr_;
      for (int64_t band = first; band < last; ++band) {
        f_.products_->tile[tiles_of(band)](
            {.a = o_.input + k * f_.input_step() + band * inputs * f_.slot_,
             .a_step = f_.slot_,
             .b = weight,
             .b_step = f_.nr_,
             .c = o_.work + k * step + (band - first) * band_sums,
             .c_step = f_.nr_,
             .depth = inputs,
             .add = false,
             .bias = nullptr,
             .next = weight + inputs * f_.nr_ + (band - first) * prefetching.elements,
             .lines = prefetching.lines});
      }
    }
    for (int64_t band = first; band < last; ++band) {
      const float* sums = o_.work + (band - first) * band_sums;
      for (int64_t i = 0; i < tiles_of(band); ++i) {
        store_tile(band * f_.mr_ + i, sums + i * f_.nr_, step);
      }
    }
  }

  void store_tile(int64_t tile, const float* sums, int64_t step) {
    const int64_t y = tile / (f_.tile_columns_ + 1), x = tile % (f_.tile_columns_ + 1);
    if (x == f_.tile_columns_) return;
    const int64_t rows = f_.c_.height.output, columns = f_.c_.width.output;
    f_.transforms_->output({.sums = sums, .sum_step = step, .bias = bias_, .to = outputs_});
    f_.transforms_->store({.from = outputs_,
                           .channels = channels_,
                           .rows = std::min<int64_t>(4, rows - 4 * y),
                           .columns = std::min<int64_t>(4, columns - 4 * x),
                           .to = made_ + 4 * (y * columns + x),
                           .row_step = columns,
                           .channel_step = rows * columns});
  }

  const WinogradPlanar& f_;
  const PanelOperands& o_;
  const int64_t channels_;
  const float* weight_;
  float* made_;
  int64_t finished_ = 0;  // rows
  alignas(64) float bias_[GemmKernels<float>::most_nr] = {};
  alignas(64) float outputs_[16 * GemmKernels<float>::most_nr];
};

void WinogradPlanar::multiply(const PanelOperands& operands, const WindowPart& part) const {
  const auto [first, last] = part.rows(panels_);
  const auto [band, last_band] = part.columns(bands_);
  for (int64_t i = first; i < last; ++i) {
    Panel(*this, operands, i).run(band, last_band);
  }
}

}  // namespace mithril::cpu_backend
