// Operands of bfloat16 GEMMs as VNNI pairs: the elements of two consecutive k in 32 bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {

// An operand as a matrix of pairs, each in the place of a float. Its lines are the rows of A or the
// columns of B.
struct VnniOperand {
  int64_t lines = 0, k = 0;  // k in elements
  bool contiguous = true;    // the elements of a line are contiguous; otherwise those of each k

  int64_t pairs() const { return (k + 1) / 2; }
  // Whether the operand is read in place, because its pairs are already contiguous.
  bool in_place() const { return contiguous && k % 2 == 0; }
  int64_t packed_count() const { return in_place() ? 0 : lines * pairs(); }
  int64_t line_step() const { return contiguous ? pairs() : 1; }
  int64_t pair_step() const { return contiguous ? 1 : lines; }

  // Packing units: lines if the elements of a line are contiguous, otherwise pairs of k. `pack`
  // packs the units [first, last) of `from`.
  int64_t units() const { return contiguous ? lines : pairs(); }
  void pack(const BFloat16Kernels& kernels, const uint16_t* from, int64_t first, int64_t last,
            float* to) const {
    for (int64_t unit = first; unit < last; ++unit) {
      if (contiguous) {
        float* line = to + unit * pairs();
        line[pairs() - 1] = 0;
        std::memcpy(line, from + unit * k, static_cast<size_t>(k) * sizeof(uint16_t));
      } else {
        const uint16_t *even = from + 2 * unit * lines, *odd = even + lines;
        kernels.pair(even, 2 * unit + 1 < k ? odd : nullptr, lines, to + unit * lines);
      }
    }
  }
};

}  // namespace mithril::cpu_backend
