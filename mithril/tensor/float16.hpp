// The two 16-bit floating point types as storage: arithmetic is float's, rounding on the way back.
#pragma once

#include <cstdint>
#include <type_traits>

namespace mithril {

namespace detail {
float float16_to_float(std::uint16_t bits);
float bfloat16_to_float(std::uint16_t bits);
std::uint16_t float16_bits(double value);
std::uint16_t bfloat16_bits(double value);
}  // namespace detail

// IEEE binary16: 5 bits of exponent, 10 of fraction. From float or double: rounded once, to
// nearest, ties to even; beyond 65504 + 16 it is infinite. NaN stays NaN, quiet, with its sign and
// the upper bits of its payload.
struct float16 {
  std::uint16_t bits;

  float16() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  explicit float16(Number value) : bits(detail::float16_bits(static_cast<double>(value))) {}

  static constexpr float16 from_bits(std::uint16_t bits) {
    float16 result{};
    result.bits = bits;
    return result;
  }
  operator float() const { return detail::float16_to_float(bits); }
};

// The upper half of an IEEE binary32: 8 bits of exponent, 7 of fraction. Rounded as float16 is.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  explicit bfloat16(Number value) : bits(detail::bfloat16_bits(static_cast<double>(value))) {}

  static constexpr bfloat16 from_bits(std::uint16_t bits) {
    bfloat16 result{};
    result.bits = bits;
    return result;
  }
  operator float() const { return detail::bfloat16_to_float(bits); }
};

}  // namespace mithril
