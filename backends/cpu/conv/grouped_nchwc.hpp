// Depthwise and grouped convolutions with few channels in a group, in the NCHW16c layout.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/descriptors/packed_weights.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether each block of output channels depends on one block of input channels.
bool suits_grouped_nchwc(const Convolution& convolution, const NchwcKernels& kernels);

// All images. Each lane of a vector is one output channel. A band is a few rows of the result for
// one block of channels. Its source is padded, and each input channel of a group is put into the
// lanes of the group's output channels.
class GroupedNchwc {
 public:
  GroupedNchwc(const Convolution& convolution, bool from_blocks,
               const NchwcKernels& kernels = nchwc_kernels());

  const Convolution& convolution() const { return c_; }
  double work() const;                        // multiplications
  int64_t panels() const { return blocks_; }  // of output channels, one for each block
  int64_t weight_count() const { return blocks_ * depth() * channel_block; }
  PackedLayout layout() const { return PackedLayout::grouped_nchwc; }
  // Elements of the source after conversion to the blocked layout; 0 if it has this layout.
  int64_t padded_count() const;
  int64_t padded_rows() const { return from_blocks_ ? 0 : c_.images * input_blocks_; }
  // Elements of the workspace of each part: the padded source of a band.
  int64_t part_count(int64_t /*parts*/) const { return row_count_ * input_rows(band_rows_); }

  // Packs one panel of the weight. `to` is the start of all panels.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // Converts the channel blocks [first, last), counted through all images, to the blocked layout.
  void pad(const float* source, int64_t first, int64_t last, float* padded) const;
  // Computes some of the bands.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  WindowPart cut(int64_t parts) const { return {.part = 0, .parts = parts}; }

 private:
  int64_t depth() const { return c_.inputs * c_.height.kernel * c_.width.kernel; }
  int64_t input_rows(int64_t rows) const {
    return (rows - 1) * c_.height.stride + (c_.height.kernel - 1) * c_.height.dilation + 1;
  }
  // The first input channel that a block of output channels depends on.
  int64_t first_input(int64_t block) const {
    return block * channel_block / c_.outputs * c_.inputs;
  }
  void pad_band(const float* source, int64_t block, int64_t first_row, int64_t rows,
                float* to) const;

  Convolution c_;
  const NchwcKernels* kernels_;
  bool from_blocks_;
  int64_t blocks_, input_blocks_;  // of output and of input channels
  int64_t width_, row_count_;      // pixels and elements of a padded row
  int64_t band_rows_, bands_;      // bands of a plane, and the rows of the result in each
  std::vector<int32_t> offsets_;   // of each tap and input channel
  std::vector<int32_t> lanes_;     // per block and input channel of a group: see LaneSelection
};

}  // namespace mithril::cpu_backend
