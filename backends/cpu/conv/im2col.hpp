// Convolutions of bfloat16 by the processor's unit for products of small matrices: a product whose
// right side, what the windows of some columns meet, is put together panel by panel.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/im2col_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the processor has such a unit, and a group is large enough to fill its registers: `depth`
// are the channels times the taps that an output meets.
bool suits_im2col(int64_t outputs, int64_t depth);

// One group of one image. Outputs are in rows of tiles, places of an output are columns, and k are
// in the order in which the weight stands, so that pairs of neighbours stand side by side in it.
class Im2colForm {
 public:
  using Element = uint16_t;

  // Where the processor has such a unit.
  explicit Im2colForm(const Convolution& convolution);

  const Convolution& convolution() const { return c_; }
  double work() const;  // multiplications of floats that take about as long
  bool in_place() const { return planes_.in_place; }
  int64_t panels() const { return tiles_; }
  // Elements of the weight as products want it, of a group, of the input with its border, and of
  // what each part works in.
  int64_t weight_count() const;
  int64_t input_count() const;
  int64_t part_count() const;

  // A row of tiles of the weight of a group, to where it stands among them.
  void transform_weight(const uint16_t* weight, int64_t tile, float* to) const;
  // The channels [first, last) of a group of an image; nothing where they stay in place.
  void transform_input(const uint16_t* input, int64_t first, int64_t last, float* work,
                       uint16_t* to) const;
  // A part: of the rows of tiles, or of the panels of columns.
  void multiply(const PanelOperandsOf<uint16_t>& operands, const WindowPart& part) const;
  bool runs_epilogue(const WindowPart&) const { return true; }
  WindowPart cut(int64_t parts) const;

 private:
  // Panels that are made before what they make is finished.
  struct Piece {
    WindowPart::Range tiles;
    int64_t first, last;
    float* patch;
    float* sums;
    int64_t sum_step;  // from row to row
  };

  // Of blocks, one panel of which stays in the first-level cache.
  struct Span {
    int64_t first, last;

    int64_t size() const { return last - first; }
  };

  Span span_at(int64_t i) const;
  // Where it stands in what is packed of a group: in the order in which it is read.
  int64_t weight_at(int64_t tile, Span span) const;
  void multiply_piece(const PanelOperandsOf<uint16_t>& operands, const Piece& piece) const;
  void store_piece(const PanelOperandsOf<uint16_t>& operands, const Piece& piece) const;
  // So many stretches of the columns of a piece that count.
  int64_t find_stretches(const Piece& piece, Stretch* stretches) const;

  Convolution c_;
  const GemmKernels<float>* products_;
  const Im2colKernels* patches_;
  ImplicitGemmForm planes_;
  int64_t depth_, blocks_, spans_;     // blocks: of pairs along k, spans: of blocks
  int64_t tiles_, mr_;                 // rows of tiles, and those of each
  int64_t columns_, panels_, pieces_;  // pieces: panels in each
};

}  // namespace mithril::cpu_backend
