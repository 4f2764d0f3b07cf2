#include "mithril/serialization/float8.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mithril {
namespace {

float float8_value(const Float8Format& format, unsigned code) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const bool is_signed = format.exponent_bits < 8;
  const int mantissa_bits = 8 - format.exponent_bits - (is_signed ? 1 : 0);
  const unsigned largest_mantissa = (1U << mantissa_bits) - 1;
  const unsigned largest_exponent = (1U << format.exponent_bits) - 1;
  const unsigned mantissa = code & largest_mantissa;
  const unsigned exponent = code >> mantissa_bits & largest_exponent;
  const float sign = is_signed && code >> 7 != 0 ? -1.0F : 1.0F;
  if (format.zero_is_unsigned) {
    if (code == 0x80) return nan;
  } else if (exponent == largest_exponent) {
    if (format.has_infinity && mantissa == 0) return sign * std::numeric_limits<float>::infinity();
    if (format.has_infinity || mantissa == largest_mantissa) return nan;
  }
  if (!is_signed) return std::ldexp(1.0F, static_cast<int>(exponent) - format.bias);
  const unsigned hidden = exponent == 0 ? 0 : 1U << mantissa_bits;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - mantissa_bits;
  return sign * std::ldexp(static_cast<float>(hidden + mantissa), power);
}

}  // namespace

std::array<float, 256> values_of(const Float8Format& format) {
  std::array<float, 256> values{};
  for (unsigned code = 0; code < values.size(); ++code) values[code] = float8_value(format, code);
  return values;
}

Float8Encoder::Float8Encoder(const Float8Format& format)
    : values_(values_of(format)),
      is_signed_(format.exponent_bits < 8),
      zero_is_unsigned_(format.zero_is_unsigned) {
  const int codes = is_signed_ ? 128 : 256;
  while (finite_ < codes && std::isfinite(values_[static_cast<std::size_t>(finite_)])) ++finite_;
  nan_ = zero_is_unsigned_ ? 0x80 : static_cast<std::uint8_t>(codes - 1);
  infinity_ = format.has_infinity ? static_cast<std::uint8_t>(finite_) : nan_;
  const double largest = values_[static_cast<std::size_t>(finite_ - 1)];
  const double before = values_[static_cast<std::size_t>(finite_ - 2)];
  limit_ = is_signed_ ? largest + (largest - before) / 2 : 2 * largest * 0.75;
}

std::uint8_t Float8Encoder::operator()(float value) const {
  if (std::isnan(value)) return nan_;
  if (!is_signed_ && !(value > 0)) return nan_;
  const double size = std::abs(static_cast<double>(value));
  const auto sign = static_cast<std::uint8_t>(is_signed_ && std::signbit(value) ? 0x80 : 0);
  const auto with_sign = [&](std::uint8_t code) {
    return code == nan_ || (zero_is_unsigned_ && code == 0)
               ? code
               : static_cast<std::uint8_t>(code | sign);
  };
  // The largest value is odd only if the next code up is even, so that a tie rounds up.
  const bool largest_is_even = is_signed_ && finite_ % 2 == 1;
  if (size > limit_ || (size == limit_ && !largest_is_even)) return with_sign(infinity_);
  const auto* first = values_.data();
  const auto* above = std::lower_bound(first, first + finite_, size);
  if (above == first) return with_sign(0);
  if (above == first + finite_) return with_sign(static_cast<std::uint8_t>(finite_ - 1));
  const double up = *above - size, down = size - *(above - 1);
  const auto code = static_cast<std::uint8_t>(above - first);
  const bool take_up = up < down || (up == down && (code % 2 == 0 || !is_signed_));
  return with_sign(take_up ? code : static_cast<std::uint8_t>(code - 1));
}

}  // namespace mithril
