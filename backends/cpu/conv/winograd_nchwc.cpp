// Winograd F(4x4, 3x3) in the NCHW16c layout: 36 GEMMs over the channels replace the 144 products
// for each 4 x 4 tile of outputs. The transforms process vectors of channels of each pixel. The
// rounding error is a few times larger than that of direct sums.
#include "backends/cpu/conv/nchwc_form.hpp"

#include <array>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr int64_t products = 36;
constexpr int64_t most_input_blocks = 256;
constexpr int64_t floats_of_line = 64 / int64_t{sizeof(float)};
// Bytes of transformed input that stay in the L2 cache: beside a weight that stays there too, or
// alone, if the weight is streamed.
constexpr int64_t bytes_beside_weight = 3 << 16, bytes_alone = 1 << 20;

// All images. Tiles of 4 x 4 output pixels are the rows of 36 GEMMs. A few rows of such tiles are
// processed at a time, so that the workspace stays in the L2 cache.
class WinogradNchwc final : public NchwcForm {
 public:
  WinogradNchwc(const Convolution& convolution, NchwcLayouts layouts, const NchwcKernels& kernels)
      : NchwcForm(convolution, layouts, channel_block),
        products_(&kernels),
        transforms_(&kernels.winograd),
        blocks_(up(c_.inputs, channel_block)),
        out_blocks_(up(c_.outputs, channel_block)),
        tile_rows_(up(c_.height.output, 4)),
        tile_columns_(up(c_.width.output, 4)) {}

  double work() const override {
    return static_cast<double>(weight_count()) * static_cast<double>(rows() * tile_columns_);
  }
  PackedFormat format() const override { return {PackedLayout::winograd_nchwc}; }
  int64_t panels() const override { return up(c_.outputs, products_->nr); }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override {
    const int64_t nr = products_->nr, element = c_.inputs * nr;
    for (int64_t in = 0; in < c_.inputs; ++in) {
      transforms_->weight({.from = static_cast<const float*>(weight) + (panel * element + in) * 9,
                           .from_step = c_.inputs * 9,
                           .channels = std::min(nr, c_.outputs - panel * nr),
                           .nr = nr,
                           .to = static_cast<float*>(packed) + panel * products * element + in * nr,
                           .to_step = element});
    }
  }

  int64_t work_bytes(int64_t parts) const override {
    const Group most = group(0, group_rows(cut(parts).of_rows));
    return products * (most.input_step + most.sum_step) * int64_t{sizeof(float)};
  }

  void multiply(const ConvolutionOperands& o, const GemmPart& part) const override {
    const auto [first_panel, last_panel] = part.rows(panels());
    const auto [first, last] = part.columns(rows());
    const int64_t most = group_rows(part.of_rows);
    for (int64_t row = first; row < last; row += most) {
      Group rows = group(row, std::min(row + most, last));
      rows.inputs = static_cast<float*>(o.work);
      rows.sums = rows.inputs + products * rows.input_step;
      transform_input(static_cast<const float*>(o.source), rows);
      for (int64_t panel = first_panel; panel < last_panel; ++panel) {
        multiply_panel(o, panel, rows);
        transform_sums(o, panel, rows);
      }
    }
  }

  // If the weight does not stay in the cache, each thread reads only its own panels, and every
  // thread transforms the whole input.
  GemmPart cut(int64_t parts) const override {
    const int64_t source_count = source_rows() * channel_block * c_.height.input * c_.width.input;
    const bool of_panels = panels() % parts == 0 &&
                           weight_count() * int64_t{sizeof(float)} > bytes_alone &&
                           weight_count() > source_count;
    if (of_panels || rows() < parts) return {.part = 0, .parts = parts, .of_rows = true};
    return {.part = 0, .parts = parts};
  }

 private:
  // Rows of tiles that are processed together.
  struct Group {
    int64_t first, last;  // counted through all images
    int64_t tiles;
    int64_t input_step, sum_step;  // elements between two of the 36 GEMMs
    float *inputs = {}, *sums = {};
  };

  int64_t weight_count() const { return 36 * c_.inputs * panels() * products_->nr; }
  int64_t rows() const { return c_.images * tile_rows_; }
  int64_t group_rows(bool of_panels) const {
    const int64_t bytes = of_panels ? bytes_alone : bytes_beside_weight;
    const int64_t row = products * c_.inputs * tile_columns_ * int64_t{sizeof(float)};
    return std::clamp<int64_t>(bytes / row, 1, rows());
  }

  // The steps between the 36 GEMMs are padded, so that the GEMMs do not map to the same cache sets.
  Group group(int64_t first, int64_t last) const {
    const int64_t tiles = (last - first) * tile_columns_;
    const int64_t input_step = (blocks_ * tiles + 1) * channel_block;
    const int64_t sum_step = tiles * products_->nr + channel_block;
    return {first, last, tiles, input_step, sum_step};
  }

  void transform_input(const float* input, const Group& group) const {
    const int64_t width = c_.width.input, plane = c_.height.input * width;
    for (int64_t row = group.first; row < group.last; ++row) {
      const int64_t y = row % tile_rows_ * 4 - c_.height.before;
      for (int64_t block = 0; block < blocks_; ++block) {
        const float* from = input + (row / tile_rows_ * blocks_ + block) * plane * channel_block;
        float* to = group.inputs +
                    (block * group.tiles + (row - group.first) * tile_columns_) * channel_block;
        for (int64_t tile = 0; tile < tile_columns_; ++tile, to += channel_block) {
          const int64_t x = 4 * tile - c_.width.before;
          transforms_->input_block({.from = from + (y * width + x) * channel_block,
                                    .row_step = width * channel_block,
                                    .first_row = std::max<int64_t>(-y, 0),
                                    .last_row = std::min<int64_t>(c_.height.input - y, 6),
                                    .first_column = std::max<int64_t>(-x, 0),
                                    .last_column = std::min<int64_t>(width - x, 6),
                                    .to = to,
                                    .to_step = group.input_step});
        }
      }
    }
  }

  void multiply_panel(const ConvolutionOperands& o, int64_t panel, const Group& group) const {
    const int64_t nr = products_->nr, element = c_.inputs * nr,
                  count = up(group.tiles, products_->mr);
    const bool half = (panel + 1) * nr - c_.outputs >= channel_block;
    const int64_t lines = up(up(element, floats_of_line), count * blocks_);
    std::array<int32_t, most_input_blocks> offsets;
    for (int64_t block = 0; block < blocks_; ++block) {
      offsets[static_cast<size_t>(block)] =
          static_cast<int32_t>(block * group.tiles * channel_block);
    }
    // The last block may be shorter.
    const int64_t last_run = c_.inputs - (blocks_ - 1) * channel_block;
    const int64_t whole = last_run == channel_block ? blocks_ : blocks_ - 1;
    const auto multiply = [&](int64_t k, int64_t first_run, int64_t runs, int64_t run) {
      const float* weight = static_cast<const float*>(o.weight) + (panel * products + k) * element;
      const NchwcKernels::Tiles& kernels = products_->tiles(false, 1, run, half);
      for (int64_t i = 0; i < count; ++i) {
        const auto [first, last] = Range{0, group.tiles}.part(i, count);
        kernels[static_cast<size_t>(last - first)](
            {.a = group.inputs + k * group.input_step + first * channel_block,
             .a_step = channel_block,
             .offsets = offsets.data() + first_run,
             .runs = runs,
             .run = run,
             .b = weight + first_run * channel_block * nr,
             .c = group.sums + k * group.sum_step + first * channel_block,
             .c_step = group.tiles * channel_block,
             .add = first_run > 0,
             .bias = nullptr,
             .next = weight + element + (i * blocks_ + first_run) * lines * floats_of_line,
             .lines = lines});
      }
    };
    for (int64_t k = 0; k < products; ++k) {
      if (whole > 0) multiply(k, 0, whole, channel_block);
      if (whole < blocks_) multiply(k, whole, 1, last_run);
    }
  }

  void transform_sums(const ConvolutionOperands& o, int64_t panel, const Group& group) const {
    const int64_t width = c_.width.output, height = c_.height.output;
    const int64_t first_block = panel * (products_->nr / channel_block);
    const int64_t blocks = std::min(products_->nr / channel_block, out_blocks_ - first_block);
    const int64_t block_step = height * width * channel_block;
    auto* made = static_cast<float*>(o.made);
    const PanelBias bias(o.bias, first_block * channel_block, c_.outputs, products_->nr);
    for (int64_t row = group.first; row < group.last; ++row) {
      const int64_t y = row % tile_rows_ * 4, rows = std::min<int64_t>(height - y, 4);
      const int64_t begin =
          (row / tile_rows_ * out_blocks_ + first_block) * block_step + y * width * channel_block;
      for (int64_t block = 0; block < blocks; ++block) {
        const float* sums =
            group.sums +
            (block * group.tiles + (row - group.first) * tile_columns_) * channel_block;
        for (int64_t tile = 0; tile < tile_columns_; ++tile, sums += channel_block) {
          transforms_->output_block(
              {.sums = sums,
               .sum_step = group.sum_step,
               .bias = bias.lanes(block * channel_block),
               .to = made + begin + block * block_step + 4 * tile * channel_block,
               .row_step = width * channel_block,
               .rows = rows,
               .columns = std::min<int64_t>(width - 4 * tile, 4)});
        }
      }
      o.epilogue.run({.begin = begin,
                      .size = rows * width * channel_block,
                      .rows = blocks,
                      .step = block_step});
    }
  }

  const NchwcKernels* products_;
  const WinogradKernels* transforms_;
  int64_t blocks_, out_blocks_;  // blocks of input and of output channels
  int64_t tile_rows_, tile_columns_;
};

}  // namespace

bool suits_winograd_nchwc(const Convolution& c) {
  const auto is_plain = [](const WindowAxis& axis) {
    return axis.kernel == 3 && axis.stride == 1 && axis.dilation == 1;
  };
  if (!is_plain(c.height) || !is_plain(c.width) || c.groups > 1) return false;
  // Below these limits the transforms cost as much as they save. Above them, reading the
  // transformed weights does: there are four times as many as before.
  constexpr int64_t fewest_channels = 32, fewest_tiles = 20, most_elements = 1 << 22;
  const int64_t tiles = c.images * up(c.height.output, 4) * up(c.width.output, 4);
  return c.inputs >= fewest_channels && c.inputs <= most_input_blocks * channel_block &&
         tiles >= fewest_tiles && products * c.inputs * c.outputs <= most_elements;
}

std::shared_ptr<const ConvolutionForm> winograd_nchwc(const Convolution& convolution,
                                                      NchwcLayouts layouts,
                                                      const NchwcKernels& kernels) {
  return std::make_shared<WinogradNchwc>(convolution, layouts, kernels);
}

}  // namespace mithril::cpu_backend
