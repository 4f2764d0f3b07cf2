// Direct convolutions in the NCHW16c (blocked) layout (layout/assign_layouts.hpp). Each tile
// computes a few neighbouring pixels for a panel of output channels, over contiguous runs of k in
// the source.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/nchwc_form.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the kernels support this convolution. Its source may be in either layout.
bool suits_direct_nchwc(const Convolution& convolution, const NchwcKernels& kernels);

// All images of a convolution. With kernels for bfloat16, channels are VNNI pairs. A run of k is a
// block of input channels under one tap of the window; the last block has only the channels that
// the group has, so padded channels are not read. A planar source with few channels is read in
// place: a run is then one kernel row, of one channel in float32, of all channels in VNNI pairs,
// which padding makes contiguous.
class DirectNchwc final : public NchwcForm {
 public:
  DirectNchwc(const Convolution& convolution, NchwcLayouts layouts,
              const NchwcKernels& kernels = nchwc_kernels());

  double work() const override;
  PackedFormat format() const override {
    return {narrow_ ? PackedLayout::direct_nchw : PackedLayout::direct_nchwc, c_.groups};
  }
  int64_t panels() const override { return c_.groups * group_panels_; }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  // Channels beyond the last one have zero weights.
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  int64_t source_bytes() const override {
    return in_place_ ? 0 : c_.images * image_step_ * int64_t{sizeof(float)};
  }
  // The rows of the padded planes of all images.
  int64_t source_rows() const override { return in_place_ ? 0 : c_.images * height_; }
  void pad(const void* source, int64_t unit, GemmPart::Range rows, void* padded) const override;
  GemmPart cut(int64_t parts) const override;
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;

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

  // Where a tile is: its image, its row of the output, and its number in that row.
  struct TilePosition {
    int64_t image, y, part;
  };

  TilePosition position(int64_t tile) const;
  // The position after this one. Counting takes less time than dividing for each tile.
  TilePosition next(TilePosition at) const;
  Tile tile(const TilePosition& at) const;
  int64_t tiles() const { return c_.images * rows_ * row_tiles_; }
  int64_t depth() const { return c_.inputs * c_.height.kernel * c_.width.kernel; }
  int64_t panel_count() const { return depth() * kernels_->nr; }
  int64_t weight_count() const { return panels() * panel_count(); }
  int64_t plane() const { return c_.height.output * c_.width.output; }
  void add_spans(int64_t first, int64_t last, int64_t run);
  void multiply_panel(const ConvolutionOperands& operands, int64_t panel,
                      GemmPart::Range tiles) const;
  void pad_row(const float* source, int64_t image, int64_t y, float* to) const;
  void copy_pixels(const float* image, int64_t plane, int64_t y, float* to) const;

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

}  // namespace mithril::cpu_backend
