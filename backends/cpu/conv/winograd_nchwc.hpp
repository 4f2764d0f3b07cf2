// Winograd F(4x4, 3x3) in the NCHW16c layout: 36 GEMMs over the channels replace the 144 products
// for each 4 x 4 tile of outputs. The transforms process vectors of channels of each pixel. The
// rounding error is a few times larger than that of direct sums.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/nchwc_form.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the window suits the algorithm, and the savings exceed the cost of the transforms.
bool suits_winograd_nchwc(const Convolution& convolution);

// All images. Tiles of 4 x 4 output pixels are the rows of 36 GEMMs. A few rows of such tiles are
// processed at a time, so that the workspace stays in the L2 cache.
class WinogradNchwc final : public NchwcForm {
 public:
  WinogradNchwc(const Convolution& convolution, NchwcLayouts layouts,
                Instructions instructions = best_instructions());

  double work() const override;
  PackedFormat format() const override { return {PackedLayout::winograd_nchwc}; }
  int64_t panels() const override { return up(c_.outputs, products_->nr); }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  // Transforms the panel, and packs it.
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  // The source after conversion to the blocked layout.
  int64_t source_bytes() const override {
    return from_blocks_ ? 0 : c_.images * image_count() * int64_t{sizeof(float)};
  }
  int64_t source_rows() const override { return c_.images * blocks_; }
  int64_t work_bytes(int64_t parts) const override;
  // Computes a part: some panels, or some rows of tiles.
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;
  GemmPart cut(int64_t parts) const override;

 private:
  // Rows of tiles that are processed together.
  struct Group {
    int64_t first, last;  // counted through all images
    int64_t tiles;
    int64_t input_step, sum_step;  // elements between two of the 36 GEMMs
    float *inputs = {}, *sums = {};
  };

  int64_t weight_count() const { return 36 * c_.inputs * panels() * products_->nr; }
  int64_t image_count() const { return blocks_ * channel_block * c_.height.input * c_.width.input; }
  int64_t rows() const { return c_.images * tile_rows_; }
  int64_t group_rows(bool of_panels) const;
  Group group(int64_t first, int64_t last) const;
  void transform_input(const float* input, const Group& group) const;
  void multiply_panel(const ConvolutionOperands& operands, int64_t panel, const Group& group) const;
  void transform_sums(const ConvolutionOperands& operands, int64_t panel, const Group& group) const;

  const NchwcKernels* products_;
  const WinogradKernels* transforms_;
  int64_t blocks_, out_blocks_;  // blocks of input and of output channels
  int64_t tile_rows_, tile_columns_;
};

}  // namespace mithril::cpu_backend
