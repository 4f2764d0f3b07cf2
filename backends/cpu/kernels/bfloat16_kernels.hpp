// bfloat16 GEMM kernels with AVX-512 BF16 or AMX, which accumulate in float32. A VNNI pair is two
// elements that are neighbours along k. It has the size of a float, so the packing and padding of
// float32 also serve pairs.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/micro_kernel.hpp"
#include "backends/cpu/kernels/nchwc_kernels.hpp"

namespace mithril::cpu_backend {

struct BFloat16Kernels {
  // k counts pairs. Subnormal inputs are treated as 0.
  GemmKernels<float> gemm;
  GemmKernels<float> windows = {};  // of implicit GEMMs: without AMX
  NchwcKernels blocks = {};
  bool convolves = true;  // whether AVX-512 BF16 convolutions are faster than float32
  // Packs VNNI pairs: to[i] = (first[i], second[i]) for i below `count`. If `second` is null, its
  // elements are 0.
  void (*pair)(const uint16_t* first, const uint16_t* second, int64_t count, float* to);
};

// Null if the processor has no AVX-512 BF16, or these kernels were not compiled for it.
const BFloat16Kernels* bfloat16_kernels();

// `kernels` with its tiles replaced by AMX tiles. Operands are VNNI pairs, as in BFloat16Kernels.
// Needs Instructions::amx. Subnormal inputs are treated as 0.
GemmKernels<float> with_amx(GemmKernels<float> kernels);
// The kernels for the NCHW32c layout of bfloat16. Need Instructions::amx.
NchwcKernels amx_block_kernels();

// Padding, packing and storing for the bfloat16 im2col convolution (conv/im2col.cpp).

// Packs B as VNNI pairs:
// to[i * nr + j] = the pair of from[offsets[2 * i] + j] and from[offsets[2 * i + 1] + j], for j
// below `columns`. Pairs beyond `columns` or `count` offsets are 0.
struct VnniPacking {
  static constexpr int64_t nr = 32;
  const uint16_t* from;
  const int64_t* offsets;
  int64_t count, columns;
  int64_t pairs;  // rows of the result
  float* to;      // aligned to 64 bytes
};

// Pads a plane of the source:
// to[y * width + x] = from[(y * row_stride + first_row) * from_width + x * column_stride +
// first_column], or 0 if there is no such element.
struct PaddedPlane {
  static constexpr int64_t most_column_stride = 2;
  const uint16_t* from;
  int64_t from_height, from_width;
  int64_t row_stride, column_stride;
  int64_t first_row, first_column;
  int64_t height, width;
  uint16_t* to;
};

// A stretch of a row: `size` elements from offset `from` to offset `to`.
struct Stretch {
  int64_t from, to, size;
};

// Copies the stretches of rows of sums, without the columns that are not output pixels, and adds
// the bias of each row.
struct SpreadRows {
  const float* from;
  int64_t from_step, rows;
  const float* bias;  // null: 0
  const Stretch* stretches;
  int64_t count;
  float* to;
  int64_t to_step;
};

struct Im2colKernels {
  void (*pad)(const PaddedPlane&);
  void (*pack_pairs)(const VnniPacking&);
  void (*spread)(const SpreadRows&);
};

// Null if the processor has no AMX, or these kernels were not compiled for it.
const Im2colKernels* im2col_kernels();

}  // namespace mithril::cpu_backend
