// Elements of 8 bits and fewer: float8, float4, and integers of 4 and 2 bits. Each is the low bits
// of a byte; the other bits are 0.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "mithril/tensor/dtype.hpp"

namespace mithril {

// Bits of an element: 2 for int2.
int bits_of(DType dtype);

// The number of each byte, of which only the bits of an element count.
const std::array<float, 256>& numbers_of(DType low_bit);

// Converts to elements of a low-bit dtype.
//
// To float8 and float4: the nearest number, ties to even. What rounds beyond the largest number
// becomes infinite in float8_e5m2, NaN in the other float8 types, and the largest number in float4,
// which has neither. NaN becomes -0 in float4, and 0 if its sign bit is set. float8_e8m0fnu has
// powers of two only: ties go up, and what is not positive becomes NaN. ml_dtypes does the same.
//
// To integers: integers wrap. Floats are rounded towards zero and wrap; NaN and floats beyond int32
// become 0.
void encode(DType low_bit, std::span<const double> numbers, std::uint8_t* to);
void encode(DType low_bit, std::span<const std::int64_t> integers, std::uint8_t* to);

}  // namespace mithril
