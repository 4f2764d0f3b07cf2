// A constant B of int8, packed for byte_weight_kernels().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/gemm/gemm_operands.hpp"
#include "backends/cpu/gemm/scaled_integers.hpp"

namespace mithril::cpu_backend {

// Rows of int8 whose products with uint8 do not saturate: in each column, the sum of rows 2i and
// 2i + 1 is at most 128, and at least -128. The first rows are those of each k, followed by zeros
// up to a multiple of four. What exceeds these sums is in repeated rows of the same k after them.
struct ByteRows {
  std::vector<int8_t> elements;   // a multiple of four rows, one after the other
  std::vector<int32_t> repeated;  // the k of the rows after the first ones
};

// Of a matrix of int16 numbers that int8 holds. It has `columns` columns, stored by rows or, if
// `transposed`, by columns.
ByteRows byte_rows(const Tensor& integers, int64_t columns, bool transposed);

class ByteWeights {
 public:
  // None if an integer of B exceeds int8, or if products of int16 pairs are faster because packing
  // would repeat too many rows of B.
  static std::optional<ByteWeights> of(const LoweringContext& context, const GemmShape& shape,
                                       GemmOperand b, const ScaledIntegers& integers);

  int64_t quads() const { return quads_; }  // in a row of A
  // Completes a row of A, of which the first k bytes are given.
  void complete(uint8_t* row) const;
  const int32_t* panels() const { return panels_; }
  const int32_t* sums() const { return sums_; }  // of the columns

 private:
  explicit ByteWeights(PackedWeights::Bytes packed) : packed_(std::move(packed)) {}

  PackedWeights::Bytes packed_;  // the memory of the others
  int64_t k_ = 0, quads_ = 0;
  std::span<const int32_t> repeated_;
  const int32_t *sums_ = nullptr, *panels_ = nullptr;
};

}  // namespace mithril::cpu_backend
