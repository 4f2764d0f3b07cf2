// Integers as int16 pairs: the elements of two consecutive k in 32 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/elements.hpp"

namespace mithril::cpu_backend {

// Integer matrices as matrices of int16 pairs, as VnniOperand for bfloat16. The last element of an
// odd k is paired with 0.
struct Int16Operand {
  DType dtype = DType::uint8;  // or int8 or int16
  int64_t lines = 0, k = 0;    // k in elements
  bool contiguous = true;      // the elements of a line are contiguous; otherwise those of each k
  int64_t matrices = 1;        // one after the other

  int64_t pairs() const { return (k + 1) / 2; }
  int64_t count() const { return matrices * lines * pairs(); }
  int64_t scratch_count() const { return whole_lines(count()); }
  int64_t line_step() const { return contiguous ? pairs() : 1; }
  int64_t pair_step() const { return contiguous ? 1 : lines; }

  // Packs the elements minus `zero`.
  void pack(const void* from, int32_t zero, int threads, int32_t* to) const;
};

// The number of a zero point: 0 if there is none.
int32_t zero_point(const BufferTable& buffers, const std::optional<TypedValue>& value);

}  // namespace mithril::cpu_backend
