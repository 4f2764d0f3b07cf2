// The 8-bit floating point formats.
#pragma once

#include <array>
#include <cstdint>

namespace mithril {

// 1 sign bit unless there are 8 exponent bits, then the exponent, then the mantissa.
struct Float8Format {
  int exponent_bits, bias;
  bool has_infinity = false;
  // The code of negative zero is the only NaN (FNUZ). Otherwise the largest exponent has the NaNs:
  // with an infinity all mantissas but 0, without one only the largest.
  bool zero_is_unsigned = false;
};

// The value of each code.
std::array<float, 256> values_of(const Float8Format& format);

// Encodes floats: the nearest value, ties to even. A value that rounds beyond the largest one
// becomes infinite, or NaN if the format has no infinity. The format without a sign has powers of
// two only: ties go up, and what is not positive becomes NaN. ml_dtypes does the same.
class Float8Encoder {
 public:
  explicit Float8Encoder(const Float8Format& format);
  std::uint8_t operator()(float value) const;

 private:
  std::array<float, 256> values_;
  int finite_ = 0;  // codes 0 to finite_ - 1 are the finite values without a sign, in order
  std::uint8_t infinity_, nan_;
  bool is_signed_, zero_is_unsigned_;
  double limit_;  // what is not less than this rounds beyond the largest value
};

}  // namespace mithril
