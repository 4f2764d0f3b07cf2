// Winograd F(4x4, 3x3) for planar (NCHW) sources: 36 GEMMs over the channels replace the 144
// products for each 4 x 4 tile of outputs. The rounding error is a few times larger than that of
// direct sums.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/winograd_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the window suits the algorithm, and the savings exceed the cost of the transforms.
bool suits_winograd_planar(const Convolution& convolution);

// One group of one image. Winograd tiles are the rows of the GEMMs, in bands of at most mr rows.
// Output channels are the columns, in panels.
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
  // Numbers of elements: of the packed weight of a group, of the transformed input, and of the
  // workspace of each part.
  int64_t weight_count() const { return panels_ * 36 * c_.inputs * nr_; }
  int64_t input_count() const { return 36 * input_step(); }
  int64_t part_count() const;

  // Transforms and packs one panel of the weight of a group. `to` is the start of all panels.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // Transforms the input channels [first, last) of one group of one image.
  void transform_input(const float* input, int64_t first, int64_t last, float* work,
                       float* to) const;
  // Computes a part: some panels, or some bands.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  // Whether a part computes whole channels, so that it can run the epilogue.
  bool runs_epilogue(const WindowPart& part) const { return part.of_rows; }
  bool in_place() const { return false; }
  WindowPart cut(int64_t parts) const { return cut_evenly(panels_, bands_, parts); }

 private:
  class Panel;

  void pad_channel(const float* input, float* row, float* planes) const;
  // Steps between the 36 GEMMs, padded so that the GEMMs do not map to the same cache sets.
  int64_t input_step() const { return (bands_ * c_.inputs + 1) * slot_; }
  int64_t sum_step(int64_t bands) const { return (bands * mr_ + 1) * nr_; }

  Convolution c_;
  const GemmKernels<float>* products_;
  const WinogradKernels* transforms_;
  int64_t nr_;
  int64_t tile_rows_, tile_columns_;
  int64_t tiles_;              // including the unused one after each row of tiles
  int64_t bands_, mr_, slot_;  // mr_: tiles of a band; slot_: mr_ with its padding
  int64_t panels_;
  int64_t pitch_, plane_;  // of the planes of a padded channel
};

}  // namespace mithril::cpu_backend
