// The transforms of Winograd's convolution with windows of 3 x 3, in tiles of 4 x 4 outputs: the
// points are 0, 1, -1, 2, -2 and infinity. A. Lavin, S. Gray: Fast Algorithms for Convolutional
// Neural Networks, 2015.
#pragma once

#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Of the windows of `channels` outputs at one input, at most `nr` of them.
struct WinogradWeight {
  const float* from;  // 3 x 3 elements for each output
  int64_t from_step;
  int64_t channels;
  float* to;  // 36 rows of `nr` elements, zero where there is no output
  int64_t to_step;
};

// One row of the input, which is put apart by the remainder of the column.
struct WinogradRow {
  const float* from;  // `count` elements for each of four planes, a multiple of what a vector has
  float* to;
  int64_t plane;
  int64_t count;
};

// Of 6 x 6 elements of the input, for `count` tiles that are neighbours. The element (y, x) of each
// stands in the plane (y % 4) * 4 + x % 4, where tiles are neighbours.
struct WinogradInput {
  const float* planes;
  int64_t plane, pitch;  // elements of a plane, and of one of its rows
  float* to;             // 36 rows of `count` elements, rounded up to whole vectors
  int64_t to_step;
  int64_t count;
};

// Of 36 sums for each of `nr` channels: 4 x 4 outputs, the channels of each side by side.
struct WinogradOutput {
  const float* sums;
  int64_t sum_step;
  const float* bias;  // of each channel
  float* to;
};

// The 4 x 4 outputs of some channels, to where each channel has rows of its own.
struct WinogradTile {
  const float* from;
  int64_t channels;
  int64_t rows, columns;  // of the outputs, that there are
  float* to;
  int64_t row_step, channel_step;
};

// 6 x 6 places of a block of channels, side by side for each; what lies outside of the rows and
// columns that are given counts as 0. The results are `to_step` apart.
struct WinogradInputBlock {
  const float* from;
  int64_t row_step;
  int64_t first_row, last_row, first_column, last_column;
  float* to;
  int64_t to_step;
};

// The sums of a tile for a block of channels, `sum_step` apart, to 4 x 4 places, or fewer at the
// end.
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
  void (*row)(const WinogradRow&);
  void (*input)(const WinogradInput&);
  void (*output)(const WinogradOutput&);
  void (*store)(const WinogradTile&);
  void (*input_block)(const WinogradInputBlock&);
  void (*output_block)(const WinogradOutputBlock&);
};

const WinogradKernels& winograd_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
