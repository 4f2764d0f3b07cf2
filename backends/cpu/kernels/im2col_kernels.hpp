// What convolutions of bfloat16 by the processor's unit for products of small matrices are made of,
// beside these products.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

// to[i * nr + j] = the pair of from[offsets[2 * i] + j] and from[offsets[2 * i + 1] + j], for
// `columns` j at most; of 0 beyond them, and beyond `count` offsets.
struct PairedRows {
  static constexpr int64_t nr = 32;
  const uint16_t* from;
  const int64_t* offsets;
  int64_t count, columns;
  int64_t pairs;  // i
  float* to;      // aligned to 64
};

// A plane of what windows move over, with its border of zeros:
// to[y * width + x] = from[(y * row_stride + first_row) * from_width + x * column_stride +
// first_column], or 0 where there is none.
struct PaddedPlane {
  static constexpr int64_t most_column_stride = 2;
  const uint16_t* from;
  int64_t from_height, from_width;
  int64_t row_stride, column_stride;
  int64_t first_row, first_column;
  int64_t height, width;
  uint16_t* to;
};

// A stretch of a row, and where it goes.
struct Stretch {
  int64_t from, to, size;
};

// Rows of sums without those columns that count for nothing, each with its bias added.
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
  void (*pair_rows)(const PairedRows&);
  void (*spread)(const SpreadRows&);
};

// Null where the processor has no such unit, or these kernels were not compiled for it.
const Im2colKernels* im2col_kernels();

}  // namespace mithril::cpu_backend
