// Micro-kernels of direct convolutions in the NCHW16c (blocked) layout, and transforms of Winograd.
#pragma once

#include <array>
#include <cstdint>

#include "backends/cpu/kernels/clamp.hpp"
#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Contiguous elements for each pixel of the source: channels as float32, or VNNI pairs of bfloat16
// channels.
constexpr int64_t channel_block = 16;

// Arguments of a micro-kernel, which computes a few neighbouring pixels for each output channel of
// a panel: c[pixel][j] = bias[j] + sum over runs r and k of a run of a[offsets[r] + pixel * a_step
// + k] * b[r, k][j]. Steps and offsets are in elements.
struct BlockTile {
  const float* a;
  int64_t a_step;          // between two neighbouring output pixels
  const int32_t* offsets;  // of each run
  int64_t runs, run;       // number of runs, and the number of k in each
  const float* b;          // `nr` elements for each k of each run
  float* c;                // a block of channels for each pixel, contiguous
  int64_t c_step;          // between two blocks of channels
  bool add;                // accumulate into c; `bias` is ignored
  const float* bias;       // of the panel's channels; null: 0
  // In each run the kernel prefetches `lines` cache lines, starting at `next`.
  const float* next;
  int64_t lines;
  const Clamp* clamp = nullptr;  // of the result; kernels for VNNI pairs ignore it
};

// Arguments of a grouped convolution for one block of channels. Each lane is one output channel, so
// `a` has the lanes of each r already: c[pixel][j] = bias[j] + sum over r of a[offsets[r] + pixel *
// a_step + j] * b[r][j]. Steps and offsets are in elements.
struct LaneTile {
  const float* a;
  int64_t a_step;                // between two neighbouring output pixels
  const int32_t* offsets;        // of each r
  int64_t runs;                  // number of r
  const float* b;                // a block of channels for each r
  float* c;                      // a block of channels for each pixel, contiguous
  const float* bias;             // of the block; null: 0
  const Clamp* clamp = nullptr;  // of the result; null: none
  int64_t pixels = 1;
  const int32_t* taps = nullptr;  // for lanes_of_taps: the r that count
};

// Puts the input channels of grouped convolutions into the lanes of their output channels:
// to[pixel][i][j] = from[pixel][lanes[i][j]], for `inputs` input channels i of each group.
struct LaneSelection {
  const float* from;  // a block of channels for each pixel, contiguous
  int64_t pixels, inputs;
  const int32_t* lanes;  // channel_block for each input channel
  float* to;
};

// The transforms of Winograd F(4x4, 3x3), with the points 0, 1, -1, 2, -2 and infinity. A. Lavin,
// S. Gray: Fast Algorithms for Convolutional Neural Networks, 2015. Steps are in elements.

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

struct NchwcKernels {
  static constexpr int most_rows = 32;
  using Run = void (*)(const BlockTile&);
  // Indexed by the number of pixels, from 1.
  using Tiles = std::array<Run, most_rows + 1>;

  int mr = 0;  // pixels of the largest tile
  int nr = 0;  // channels of a panel: one or two blocks; 0: there are no kernels
  // Channels in a block of the source and of the result: 16 for float32, 32 for VNNI pairs of
  // bfloat16.
  int64_t block = channel_block;
  // For a source in the blocked layout, indexed by the stride of the window - 1. Each run is one
  // block of 16 elements. The kernels for VNNI pairs take any stride and shorter runs, too.
  Tiles blocks[2] = {};
  // For a planar source, indexed by the stride - 1 and the length of the runs. Index 0 takes any
  // length.
  static constexpr int64_t most_run = 8;
  std::array<Tiles, most_run> planes[2] = {};
  // For runs of any length, indexed by the stride - 1: for a blocked source, and for panels of
  // which only the first block is stored, from a blocked and from a planar source.
  Tiles short_runs[2] = {}, half_of_blocks[2] = {}, half_of_planes[2] = {};
  void (*release)() = nullptr;  // see GemmKernels

  // For grouped convolutions. Null: no kernels.
  using RunLanes = void (*)(const LaneTile&);
  RunLanes lanes[3] = {};            // for steps of 1 and 2 blocks; index 0: for any a_step
  RunLanes lanes_of_taps = nullptr;  // for one pixel and some taps
  void (*select)(const LaneSelection&) = nullptr;

  WinogradKernels winograd = {};

  bool of_pairs() const { return block > channel_block; }

  // The kernels for these runs. `half`: only the first block of the panel is stored.
  const Tiles& tiles(bool planar, int64_t stride, int64_t run, bool half) const {
    const auto s = static_cast<size_t>(stride - 1);
    if (half) return planar ? half_of_planes[s] : half_of_blocks[s];
    if (!planar) return run < channel_block && short_runs[s][1] ? short_runs[s] : blocks[s];
    const auto length = static_cast<size_t>(run < most_run ? run : 0);
    return planes[s][length][1] ? planes[s][length] : planes[s][0];
  }
};

const NchwcKernels& nchwc_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
