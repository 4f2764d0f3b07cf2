// The innermost loops of convolutions whose channels stand in blocks.
#pragma once

#include <array>
#include <cstdint>

#include "backends/cpu/kernels/instruction_set.hpp"

namespace mithril::cpu_backend {

// Floats, or pairs of bfloat16, that stand side by side for each place of what is read.
constexpr int64_t channel_block = 16;

// The sums of a few places side by side, for each channel of a panel:
// c[place][j] = sum over runs r, and k of each, of a[offsets[r] + place * step + k] * b[r, k][j].
struct BlockTile {
  const float* a;
  int64_t a_step;          // from one place to the next
  const int32_t* offsets;  // of the runs
  int64_t runs, run;       // so many, of so many k each
  const float* b;          // `nr` elements for each k of each run
  float* c;                // a block of channels for each place, side by side
  int64_t c_step;          // from one block to the next
  bool add;                // this sum to the one in c, without the bias
  const float* bias;       // of the panel's channels, where it does not; null: 0
  // What will be read soon, and is asked for meanwhile: so many lines of the cache in each run.
  const float* next;
  int64_t lines;
};

struct NchwcKernels {
  static constexpr int most_rows = 32;
  using Run = void (*)(const BlockTile&);
  // By the number of places, from 1.
  using Tiles = std::array<Run, most_rows + 1>;

  int mr = 0;  // places of the largest tile
  int nr = 0;  // channels of a panel, whole blocks; 0: there are no such kernels
  // Channels that stand side by side for each place, of what is read and what is made: twice as
  // many where pairs of bfloat16 are multiplied.
  int64_t block = channel_block;
  // Where places are blocks of channels, and the window moves by 1 or 2; runs have 16 elements
  // then. Those for pairs take any step, and shorter runs.
  Tiles blocks[2] = {};
  // Where places are elements of a plane; by the length of runs, where 0 stands for all others.
  static constexpr int64_t most_run = 8;
  std::array<Tiles, most_run> planes[2] = {};
  void (*release)() = nullptr;  // as that of GemmKernels

  bool of_pairs() const { return block > channel_block; }

  const Tiles& plane_tiles(int64_t stride, int64_t run) const {
    const auto& tiles = planes[stride - 1];
    return run < most_run && tiles[static_cast<size_t>(run)][1] ? tiles[static_cast<size_t>(run)]
                                                                : tiles[0];
  }
};

const NchwcKernels& nchwc_kernels(Instructions instructions = best_instructions());

}  // namespace mithril::cpu_backend
