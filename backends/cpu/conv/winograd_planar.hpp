// Convolutions with windows of 3 x 3 by Winograd's algorithm: 36 products of matrices of channels
// in place of 144 sums for each tile of 4 x 4 outputs, at errors of a few units more.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/winograd_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the algorithm is for this window, and worth what it does beside the products.
bool suits_winograd_planar(const Convolution& convolution);

// One group of one image. Tiles are rows of the products, in bands of as many as a tile of products
// has rows; the channels that are made are its columns, in panels.
class WinogradPlanar {
 public:
  using Element = float;

  explicit WinogradPlanar(const Convolution& convolution,
                          Instructions instructions = best_instructions());

  const Convolution& convolution() const { return c_; }
  int64_t bands() const { return bands_; }
  int64_t panels() const { return panels_; }
  // Multiplications of one group of one image.
  double work() const;
  // Elements of the weight as products want it, of a group; of the transformed input; and of what
  // each part works in.
  int64_t weight_count() const { return panels_ * 36 * c_.inputs * nr_; }
  int64_t input_count() const { return 36 * input_step(); }
  int64_t part_count() const;

  // A panel of the weight of a group, to where it stands among them.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // The channels [first, last) of a group of an image.
  void transform_input(const float* input, int64_t first, int64_t last, float* work,
                       float* to) const;
  // A part: of the panels, or of the bands.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  // Whether a part makes whole channels.
  bool runs_epilogue(const WindowPart& part) const { return part.of_rows; }
  bool in_place() const { return false; }
  WindowPart cut(int64_t parts) const { return cut_evenly(panels_, bands_, parts); }

 private:
  class Panel;

  void pad_channel(const float* input, float* row, float* planes) const;
  // From one of the 36 products to the next, such that they do not meet in the same sets of the
  // cache.
  int64_t input_step() const { return (bands_ * c_.inputs + 1) * slot_; }
  int64_t sum_step(int64_t bands) const { return (bands * mr_ + 1) * nr_; }

  Convolution c_;
  const GemmKernels<float>* products_;
  const WinogradKernels* transforms_;
  int64_t nr_;
  int64_t tile_rows_, tile_columns_;
  int64_t tiles_;              // with those between the ends of rows, that count for nothing
  int64_t bands_, mr_, slot_;  // mr_: tiles of a band, which have a place for slot_
  int64_t panels_;
  int64_t pitch_, plane_;  // of the planes that a channel is padded out as
};

}  // namespace mithril::cpu_backend
