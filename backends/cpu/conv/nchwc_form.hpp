// The forms in the NCHW16c (blocked) layout, and their base: the layouts of source and result.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the source and the result have the blocked layout. Otherwise they have NCHW.
struct NchwcLayouts {
  bool from_blocks, to_blocks;
};

// All images are one unit. The result of multiply() has the blocked layout.
class NchwcForm : public ConvolutionForm {
 public:
  // Converts blocks of channels of the source, counted through all images, to the blocked layout.
  // Lanes beyond the last channel become 0.
  void pad(const void* source, int64_t unit, GemmPart::Range blocks, void* padded) const override;
  int64_t made_bytes() const override;
  void store(const void* from, void* made, const Epilogue& epilogue,
             const GemmPart& part) const override;

 protected:
  // `block`: channels in a block.
  NchwcForm(const Convolution& convolution, NchwcLayouts layouts, int64_t block)
      : c_(convolution),
        from_blocks_(layouts.from_blocks),
        to_blocks_(layouts.to_blocks),
        block_(block) {}

  const Convolution c_;
  const bool from_blocks_;

 private:
  bool to_blocks_;
  int64_t block_;
};

// Whether the kernels support this convolution. Its source may be in either layout.
bool suits_direct_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
// Whether each block of output channels depends on one block of input channels.
bool suits_grouped_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
// Whether the window suits the algorithm, and the savings exceed the cost of the transforms.
bool suits_winograd_nchwc(const Convolution& convolution);

// The forms for convolutions that they suit.
using MakeNchwcForm = std::shared_ptr<const ConvolutionForm>(const Convolution& convolution,
                                                             NchwcLayouts layouts,
                                                             const NchwcKernels& kernels);
MakeNchwcForm direct_nchwc, grouped_nchwc, winograd_nchwc;

// The bias of a panel of at most 64 output channels. Lanes beyond the last channel hold 0.
class PanelBias {
 public:
  // `first`: the first channel of the panel. `channels`: those of the convolution.
  PanelBias(const void* bias, int64_t first, int64_t channels, int64_t nr) : is_null_(!bias) {
    if (is_null_) return;
    const int64_t count = std::min(nr, channels - first);
    std::copy_n(static_cast<const float*>(bias) + first, count, lanes_);
    std::fill(lanes_ + count, lanes_ + nr, 0.0f);
  }

  const float* lanes(int64_t first = 0) const { return is_null_ ? nullptr : lanes_ + first; }

 private:
  bool is_null_;
  alignas(64) float lanes_[64];
};

}  // namespace mithril::cpu_backend
