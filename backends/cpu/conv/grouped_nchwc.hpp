// Grouped convolutions with few channels in a group, in the NCHW16c layout.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/nchwc_form.hpp"

namespace mithril::cpu_backend {

// Whether each block of output channels depends on one block of input channels.
bool suits_grouped_nchwc(const Convolution& convolution, const NchwcKernels& kernels);

// All images. Each lane of a vector is one output channel. A band is a few rows of the result for
// one block of channels. Its source is padded, and each input channel of a group is put into the
// lanes of the group's output channels.
class GroupedNchwc : public NchwcForm {
 public:
  GroupedNchwc(const Convolution& convolution, NchwcLayouts layouts,
               const NchwcKernels& kernels = nchwc_kernels());

  double work() const override;
  PackedFormat format() const override { return {PackedLayout::grouped_nchwc, c_.groups}; }
  int64_t panels() const override { return blocks_; }
  int64_t weight_bytes() const override { return weight_count() * int64_t{sizeof(float)}; }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  // The source after conversion to the blocked layout.
  int64_t source_bytes() const override;
  int64_t source_rows() const override { return c_.images * input_blocks_; }
  // The padded source of a band.
  int64_t work_bytes(int64_t /*parts*/) const override {
    return row_count_ * input_rows(band_rows_) * int64_t{sizeof(float)};
  }
  // Computes some of the bands.
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;
  GemmPart cut(int64_t parts) const override { return {.part = 0, .parts = parts}; }

 protected:
  int64_t depth() const { return c_.inputs * c_.height.kernel * c_.width.kernel; }

  const NchwcKernels* kernels_;

 private:
  int64_t weight_count() const { return blocks_ * depth() * channel_block; }
  int64_t input_rows(int64_t rows) const {
    return (rows - 1) * c_.height.stride + (c_.height.kernel - 1) * c_.height.dilation + 1;
  }
  // The first input channel that a block of output channels depends on.
  int64_t first_input(int64_t block) const {
    return block * channel_block / c_.outputs * c_.inputs;
  }
  void pad_band(const float* source, int64_t block, int64_t first_row, int64_t rows,
                float* to) const;

  int64_t blocks_, input_blocks_;  // of output and of input channels
  int64_t width_, row_count_;      // pixels and elements of a padded row
  int64_t band_rows_, bands_;      // bands of a plane, and the rows of the result in each
  std::vector<int32_t> offsets_;   // of each tap and input channel
  std::vector<int32_t> lanes_;     // per block and input channel of a group: see LaneSelection
};

}  // namespace mithril::cpu_backend
