// VNNI pairs: the elements of two consecutive k in 32 bits, in the place of a float.
#pragma once

#include <cstdint>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"

namespace mithril::cpu_backend {

// Matrices of bfloat16 elements as matrices of VNNI pairs. Their lines are the rows of A or the
// columns of B of a GEMM, or the pixels of a convolution, whose k are the input channels. The last
// element of an odd k is paired with 0.
struct VnniOperand {
  int64_t lines = 0, k = 0;  // k in elements
  bool contiguous = true;    // the elements of a line are contiguous; otherwise those of each k
  int64_t matrices = 1;      // one after the other

  int64_t pairs() const { return (k + 1) / 2; }
  // Whether the operand is read in place, because its pairs are already contiguous.
  bool in_place() const { return contiguous && k % 2 == 0; }
  // The number of packed pairs of all matrices.
  int64_t packed_count() const { return in_place() ? 0 : matrices * lines * pairs(); }
  int64_t scratch_count() const { return whole_lines(packed_count()); }
  int64_t line_step() const { return contiguous ? pairs() : 1; }
  int64_t pair_step() const { return contiguous ? 1 : lines; }

  void pack(const uint16_t* from, int threads, float* to) const;
  // The operand as pairs. Packs it into the scratch memory, whose start then moves, unless it is
  // read in place.
  const float* packed(const uint16_t* from, float*& scratch, int threads) const {
    if (in_place()) return reinterpret_cast<const float*>(from);
    float* to = std::exchange(scratch, scratch + scratch_count());
    pack(from, threads, to);
    return to;
  }
};

}  // namespace mithril::cpu_backend
