// Convolutions whose channels stand in blocks (layout/assign_layouts.hpp): sums of a few places at
// a time for a panel of channels, over runs of k that stand side by side in what is convolved.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the kernels are for what moves so. What it reads need not be in blocks.
bool suits_direct_nchwc(const Convolution& convolution, const NchwcKernels& kernels);

// All images of one group; where the kernels are for pairs of bfloat16, channels are in pairs. A
// run of k is a block of channels under one tap of the window. Where channels are few, what is read
// never is in blocks, and a run is a row of the window: on one channel, or, of pairs, on all of
// them, which are padded out side by side then.
class DirectNchwc {
 public:
  DirectNchwc(const Convolution& convolution, bool from_blocks,
              const NchwcKernels& kernels = nchwc_kernels());

  const Convolution& convolution() const { return c_; }
  double work() const;  // multiplications
  int64_t panels() const { return c_.outputs / kernels_->nr; }
  int64_t weight_count() const { return panels() * panel_count(); }
  // Elements of what is read with its border of zeros: 0 where it is read as it stands.
  int64_t padded_count() const { return in_place_ ? 0 : c_.images * image_step_; }
  int64_t padded_rows() const { return in_place_ ? 0 : c_.images * height_; }
  int64_t part_count(int64_t /*parts*/) const { return 0; }

  // A panel of the weight, to where it stands among them.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // Rows [first, last) of all images, with their borders.
  void pad(const float* source, int64_t first, int64_t last, float* padded) const;
  // A part: of the panels, or of the tiles.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  WindowPart cut(int64_t parts) const;

 private:
  // BufferRefs side by side that a tile makes.
  struct Tile {
    int64_t image, first, count;
    int64_t from;  // where the window of the first stands
  };

  Tile tile(int64_t i) const;
  int64_t tiles() const { return c_.images * rows_ * row_tiles_; }
  int64_t panel_count() const {
    return static_cast<int64_t>(offsets_.size()) * run_ * kernels_->nr;
  }
  int64_t plane() const { return c_.height.output * c_.width.output; }
  void multiply_panel(const PanelOperands& operands, int64_t panel, WindowPart::Range tiles) const;
  void pad_row(const float* source, int64_t image, int64_t y, float* to) const;
  void pad_places(const float* image, int64_t plane, int64_t y, float* to) const;

  Convolution c_;
  int64_t channels_;  // of what is read
  const NchwcKernels* kernels_;
  bool from_blocks_, narrow_, in_place_;
  const NchwcKernels::Tiles* run_tile_;
  const GemmKernels<float>* rearranging_;
  int64_t unit_;            // elements of a place that stand side by side
  int64_t planes_;          // of so many such places, one for each block of channels
  int64_t height_, width_;  // sizes of each of them
  int64_t image_step_;
  int64_t run_;                         // elements of each
  std::vector<int32_t> offsets_;        // of the runs
  int64_t rows_, columns_, row_tiles_;  // of what is made; all rows are one where they touch
  int64_t group_;                       // tiles that a panel meets while it is in the cache
};

}  // namespace mithril::cpu_backend
