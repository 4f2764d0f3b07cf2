// Convolutions of bfloat16 with AMX as a GEMM. B is the im2col matrix, which is packed panel by
// panel.
#pragma once

#include <cstdint>

#include "backends/cpu/conv/convolution_form.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/micro_kernel.hpp"

namespace mithril::cpu_backend {

// Whether the processor has AMX and one group fills its registers. `outputs` are the output
// channels of a group, `depth` its input channels times the taps.
bool suits_im2col(int64_t outputs, int64_t depth);

// Each group of each image is a unit. Output channels are the rows of the GEMM, output pixels its
// columns. k has the order of the weight, so that VNNI pairs are contiguous in it.
class Im2col final : public ConvolutionForm {
 public:
  // Needs a processor with AMX.
  explicit Im2col(const Convolution& convolution);

  int64_t units() const override { return c_.images * c_.groups; }
  double work() const override;
  PackedFormat format() const override { return {PackedLayout::im2col, c_.groups}; }
  bool takes_pairs() const override { return false; }
  int64_t panels() const override { return c_.groups * tiles_; }
  int64_t weight_bytes() const override {
    return c_.groups * weight_count() * int64_t{sizeof(float)};
  }
  void pack_weight(const void* weight, int64_t panel, void* packed) const override;
  int64_t source_bytes() const override;
  int64_t source_rows() const override { return c_.inputs; }
  void pad(const void* source, int64_t unit, GemmPart::Range channels, void* padded) const override;
  int64_t work_bytes(int64_t parts) const override;
  GemmPart cut(int64_t parts) const override;
  // Computes a part: some rows of tiles, or some panels of columns.
  void multiply(const ConvolutionOperands& operands, const GemmPart& part) const override;

 private:
  // The operands of one group of one image.
  struct Operands {
    const uint16_t* input;  // padded; the source itself if it is read in place
    const float* weight;
    const float* bias;  // null: 0
    float* made;
    int64_t made_before;  // elements of the whole result before `made`
    const Epilogue& epilogue;
  };

  // Panels that are multiplied before the epilogue runs on their results.
  struct Piece {
    GemmPart::Range tiles;
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

  int64_t weight_count() const;  // elements of the packed weight of a group
  const uint16_t* source_of(const void* source, int64_t unit) const {
    return static_cast<const uint16_t*>(source) + unit * c_.inputs * geometry_.source_plane();
  }
  Span span_at(int64_t i) const;
  // Offset into the packed weight of a group, which has the order in which it is read.
  int64_t weight_at(int64_t tile, Span span) const;
  void multiply_piece(const Operands& operands, const Piece& piece) const;
  void store_piece(const Operands& operands, const Piece& piece) const;
  // Finds the columns of a piece that are output pixels. Returns the number of stretches.
  int64_t find_stretches(const Piece& piece, Stretch* stretches) const;

  Convolution c_;
  const GemmKernels<float>* gemm_kernels_;
  const Im2colKernels* kernels_;
  ImplicitGemmGeometry geometry_;
  int64_t depth_, blocks_, spans_;     // blocks_: of VNNI pairs along k, spans_: of blocks
  int64_t tiles_, mr_;                 // rows of tiles, and the rows of each
  int64_t columns_, panels_, pieces_;  // pieces_: most panels in a piece
};

}  // namespace mithril::cpu_backend
