// The transforms of Winograd F(4x4, 3x3), with the points 0, 1, -1, 2, -2 and infinity. A. Lavin,
// S. Gray: Fast Algorithms for Convolutional Neural Networks, 2015. Steps are in elements.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Transforms the 3 x 3 weights of at most `nr` output channels for one input channel.
struct WinogradWeight {
  const float* from;  // 9 elements for each output channel
  int64_t from_step;
  int64_t channels, nr;  // nr: whole vectors, at most 32
  float* to;             // 36 rows of `nr` elements; channels beyond `channels` are 0
  int64_t to_step;
};

// Transforms 6 x 6 pixels of a channel block in the NCHW16c layout. Pixels outside of the given
// rows and columns are 0. The 36 results are `to_step` apart.
struct WinogradInputBlock {
  const float* from;
  int64_t row_step;
  int64_t first_row, last_row, first_column, last_column;
  float* to;
  int64_t to_step;
};

// Transforms the 36 sums of a tile, `sum_step` apart, to at most 4 x 4 pixels of a channel block.
struct WinogradOutputBlock {
  const float* sums;
  int64_t sum_step;
  const float* bias;  // null: 0
  float* to;
  int64_t row_step;
  int64_t rows, columns;
};

struct WinogradKernels {
  void (*weight)(const WinogradWeight&);
  void (*input_block)(const WinogradInputBlock&);
  void (*output_block)(const WinogradOutputBlock&);
};

const WinogradKernels& winograd_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
