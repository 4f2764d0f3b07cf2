// The base of the forms in the NCHW16c (blocked) layout: the layouts of source and result.
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
  // The source after conversion to the blocked layout: its rows are the blocks of channels, counted
  // through all images. Lanes beyond the last channel become 0.
  int64_t source_bytes() const override;
  int64_t source_rows() const override;
  void pad(const void* source, int64_t unit, Range blocks, void* padded) const override;
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

// The forms. `suits_...`: whether the kernels support the convolution, whose source may be in
// either layout. The other functions make the form for a convolution that it suits.
using MakeNchwcForm = std::shared_ptr<const ConvolutionForm>(const Convolution& convolution,
                                                             NchwcLayouts layouts,
                                                             const NchwcKernels& kernels);

bool suits_direct_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
MakeNchwcForm direct_nchwc;

// Depthwise and grouped convolutions of which each block of output channels depends on one block of
// input channels.
bool suits_grouped_nchwc(const Convolution& convolution, const NchwcKernels& kernels);
MakeNchwcForm grouped_nchwc;

// Winograd F(4x4, 3x3): whether the window suits it, and it saves more than the transforms cost.
bool suits_winograd_nchwc(const Convolution& convolution);
MakeNchwcForm winograd_nchwc;

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
