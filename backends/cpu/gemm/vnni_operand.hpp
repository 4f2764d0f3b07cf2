// Operands of bfloat16 GEMMs as VNNI pairs: the elements of two consecutive k in 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {

// Rounds a number of floats up to whole cache lines of 64 bytes.
inline int64_t whole_lines(int64_t floats) {
  constexpr int64_t line = 16;
  return up(floats, line) * line;
}

// An operand as a matrix of pairs, each in the place of a float. Its lines are the rows of A or the
// columns of B.
struct VnniOperand {
  int64_t lines = 0, depth = 0;  // depth in elements
  bool lies = true;              // the elements of a line are contiguous; otherwise those of each k

  int64_t pairs() const { return (depth + 1) / 2; }
  // Whether the operand is read in place, because its pairs are already contiguous.
  bool stands() const { return lies && depth % 2 == 0; }
  int64_t brought() const { return stands() ? 0 : lines * pairs(); }
  int64_t line_step() const { return lies ? pairs() : 1; }
  int64_t pair_step() const { return lies ? 1 : lines; }

  // Packing units: lines if the elements of a line are contiguous, otherwise pairs of k. `bring`
  // packs the units [first, last) of `from`.
  int64_t units() const { return lies ? lines : pairs(); }
  void bring(const BFloat16Kernels& kernels, const uint16_t* from, int64_t first, int64_t last,
             float* to) const {
    for (int64_t unit = first; unit < last; ++unit) {
      if (lies) {
        float* line = to + unit * pairs();
        line[pairs() - 1] = 0;
        std::memcpy(line, from + unit * depth, static_cast<size_t>(depth) * sizeof(uint16_t));
      } else {
        const uint16_t *even = from + 2 * unit * lines, *odd = even + lines;
        kernels.pair(even, 2 * unit + 1 < depth ? odd : nullptr, lines, to + unit * lines);
      }
    }
  }
};

}  // namespace mithril::cpu_backend
