// Convolutions with output planes that would fill only a part of a vector. Output pixels are the
// rows of the GEMM, and output channels its columns.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the output planes are small enough.
bool suits_small_planes(const Convolution& convolution);

// One group of one image. A band is a few rows of the output, at most mr pixels. Output channels
// are in panels.
class SmallPlaneForm {
 public:
  using Element = float;

  // A row of the output must have at most mr pixels.
  explicit SmallPlaneForm(const Convolution& convolution,
                          Instructions instructions = best_instructions());

  const Convolution& convolution() const { return c_; }
  double work() const;                        // multiplications
  int64_t panels() const { return panels_; }  // of output channels
  int64_t weight_count() const { return panels_ * depth_ * nr_; }
  int64_t input_count() const { return bands_ * band_step(); }
  int64_t part_count() const;

  // Packs one panel of the weight of a group. `to` is the start of all panels.
  void transform_weight(const float* weight, int64_t panel, float* to) const;
  // Packs the input channels [first, last) of one group of one image: A of each band.
  void transform_input(const float* input, int64_t first, int64_t last, float* work,
                       float* to) const;
  // Computes a part of the panels.
  void multiply(const PanelOperands& operands, const WindowPart& part) const;
  bool runs_epilogue(const WindowPart&) const { return true; }
  bool in_place() const { return false; }
  WindowPart cut(int64_t parts) const { return {.part = 0, .parts = parts, .of_rows = true}; }

 private:
  // Elements between two bands: an odd number of cache lines, so that bands do not map to the same
  // sets.
  int64_t band_step() const;
  void multiply_panel(const PanelOperands& operands, int64_t panel) const;
  void store_panel(const PanelOperands& operands, int64_t panel) const;

  Convolution c_;
  const GemmKernels<float>* products_;
  int64_t nr_, taps_, depth_;
  int64_t band_rows_, bands_, mr_;
  int64_t panels_;
  ImplicitGemmForm planes_;  // for one channel
};

}  // namespace mithril::cpu_backend
