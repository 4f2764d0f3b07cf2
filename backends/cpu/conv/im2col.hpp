// Convolutions of bfloat16 with AMX as a GEMM. B is the im2col matrix, which is packed panel by
// panel.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/implicit_gemm_form.hpp"
#include "backends/cpu/conv/panel_operands.hpp"
#include "backends/cpu/kernels/gemm_kernels.hpp"
#include "backends/cpu/kernels/im2col_kernels.hpp"

namespace mithril::cpu_backend {

// Whether the processor has AMX and one group fills its registers. `outputs` are the output
// channels of a group, `depth` its input channels times the taps.
bool suits_im2col(int64_t outputs, int64_t depth);

// One group of one image. Output channels are the rows of the GEMM, output pixels its columns. k
// has the order of the weight, so that VNNI pairs are contiguous in it.
class Im2colForm {
 public:
  using Element = uint16_t;

  // Needs a processor with AMX.
  explicit Im2colForm(const Convolution& convolution);

  const Convolution& convolution() const { return c_; }
  double work() const;  // equivalent float32 multiplications
  bool in_place() const { return planes_.in_place; }
  int64_t panels() const { return tiles_; }
  // Numbers of elements: of the packed weight of a group (float32), of the padded input (bfloat16),
  // and of the workspace of each part (float32).
  int64_t weight_count() const;
  int64_t input_count() const;
  int64_t part_count() const;

  // Packs one row of tiles of the weight of a group. `to` is the start of all tiles.
  void transform_weight(const uint16_t* weight, int64_t tile, float* to) const;
  // Pads the channels [first, last) of one group of one image. Does nothing if the form is in
  // place.
  void transform_input(const uint16_t* input, int64_t first, int64_t last, float* work,
                       uint16_t* to) const;
  // Computes a part: some rows of tiles, or some panels of columns.
  void multiply(const PanelOperandsOf<uint16_t>& operands, const WindowPart& part) const;
  bool runs_epilogue(const WindowPart&) const { return true; }
  WindowPart cut(int64_t parts) const;

 private:
  // Panels that are multiplied before the epilogue runs on their results.
  struct Piece {
    WindowPart::Range tiles;
    int64_t first, last;
    float* patch;
    float* sums;
    int64_t sum_step;  // elements between two rows
  };

  // A range of blocks of k. One panel of it stays in the L1 cache.
  struct Span {
    int64_t first, last;

    int64_t size() const { return last - first; }
  };

  Span span_at(int64_t i) const;
  // Offset into the packed weight of a group, which has the order in which it is read.
  int64_t weight_at(int64_t tile, Span span) const;
  void multiply_piece(const PanelOperandsOf<uint16_t>& operands, const Piece& piece) const;
  void store_piece(const PanelOperandsOf<uint16_t>& operands, const Piece& piece) const;
  // Finds the stretches of a piece's columns that are output pixels. Returns their number.
  int64_t find_stretches(const Piece& piece, Stretch* stretches) const;

  Convolution c_;
  const GemmKernels<float>* products_;
  const Im2colKernels* patches_;
  ImplicitGemmForm planes_;
  int64_t depth_, blocks_, spans_;     // blocks_: of VNNI pairs along k, spans_: of blocks
  int64_t tiles_, mr_;                 // rows of tiles, and the rows of each
  int64_t columns_, panels_, pieces_;  // pieces_: most panels in a piece
};

}  // namespace mithril::cpu_backend
