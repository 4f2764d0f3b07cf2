// Convolutions with small outputs, whose planes would fill too few of a vector's elements: their
// places are rows of the product, and the channels are its columns.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"

namespace mithril::cpu_backend {

// Whether planes of this output are so small.
bool suits_small_planes(const Convolution& convolution);

// One group of one image. Rows of the output are put together to bands, of as many places as a tile
// of products has rows; the channels that are made are in panels.
class SmallPlaneForm {
 public:
  using Element = float;

  // Where rows of the output are no longer than tiles of products are high.
  explicit SmallPlaneForm(const Convolution& convolution,
                          Instructions instructions = best_instructions());

  const Convolution& convolution() const { return c_; }
  double work() const;                        // multiplications
  int64_t panels() const { return panels_; }  // of outputs
  int64_t weight_count() const { return panels_ * depth_ * nr_; }
  int64_t input_count() const { return bands_ * band_step(); }
  int64_t part_count() const;

  // A panel of the weight of a group, to where it stands among them.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // The channels [first, last) of a group of an image.
  void transform_input(const float* input, int64_t first, int64_t last, float* work,
                       float* to) const;
  // A part of the panels.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  bool runs_epilogue(const WindowPart&) const { return true; }
  bool in_place() const { return false; }
  WindowPart cut(int64_t parts) const { return {.part = 0, .parts = parts, .of_rows = true}; }

 private:
  // Lines of the cache, an odd number of them, so that bands do not meet in the same sets.
  int64_t band_step() const;
  void multiply_panel(const PanelOperands& operands, int64_t panel) const;
  void store_panel(const PanelOperands& operands, int64_t panel) const;

  Convolution c_;
  const GemmKernels<float>* products_;
  int64_t nr_, taps_, depth_;
  int64_t band_rows_, bands_, mr_;
  int64_t panels_;
  ImplicitGemmForm planes_;  // of one channel
};

}  // namespace mithril::cpu_backend
