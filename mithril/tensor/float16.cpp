// Conversions of the 16-bit floating point types, bit by bit, so that no compiler's rounding mode
// or fused step can change them.
#include "mithril/tensor/float16.hpp"

#include <bit>

namespace mithril::detail {

namespace {

constexpr int double_fraction = 52;
constexpr int double_bias = 1023;

// A 16-bit format with `fraction` bits of fraction, one bit of sign, and the rest as exponent.
template <int fraction>
std::uint16_t rounded(double value) {
  constexpr int exponent_bits = 15 - fraction;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << fraction;
  constexpr std::uint64_t quiet = std::uint64_t{1} << (fraction - 1);
  constexpr std::uint64_t hidden = std::uint64_t{1} << double_fraction;

  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = bits >> 63 << 15;
  const auto exponent = static_cast<int>(bits >> double_fraction & 0x7FF);
  const std::uint64_t significand = bits & (hidden - 1);
  if (exponent == 0x7FF && significand != 0) {
    const std::uint64_t payload = significand >> (double_fraction - fraction);
    return static_cast<std::uint16_t>(sign | infinity | quiet | payload);
  }
  const int target = exponent - double_bias + bias;
  if (target >= (1 << exponent_bits) - 1) return static_cast<std::uint16_t>(sign | infinity);

  // A subnormal result loses one more bit for each step its exponent is below the smallest.
  const int dropped = double_fraction - fraction + (target > 0 ? 0 : 1 - target);
  if (dropped > double_fraction + 1) return static_cast<std::uint16_t>(sign);
  const std::uint64_t full = significand | hidden;
  const std::uint64_t kept = full >> dropped;
  const std::uint64_t rest = full & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  // `kept` still has its hidden bit, hence one less in the exponent; a carry out of the fraction is
  // right as it is, up to infinity.
  const std::uint64_t shifted = target > 0 ? static_cast<std::uint64_t>(target - 1) << fraction : 0;
  return static_cast<std::uint16_t>(sign | (shifted + kept + (up ? 1 : 0)));
}

}  // namespace

float float16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFF : exponent - 15 + 127;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float16_bits(double value) { return rounded<10>(value); }

std::uint16_t bfloat16_bits(double value) { return rounded<7>(value); }

}  // namespace mithril::detail
