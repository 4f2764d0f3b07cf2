// Both 16-bit types against oracles: every pattern, and every boundary between two neighbours.
#include "mithril/tensor/float16.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mithril {

namespace {

constexpr double half_infinity = std::numeric_limits<double>::infinity();

// The patterns of the finite values from zero on are in the order of their values.
template <class T>
constexpr std::uint16_t infinity_bits = 0;
template <>
constexpr std::uint16_t infinity_bits<float16> = 0x7C00;
template <>
constexpr std::uint16_t infinity_bits<bfloat16> = 0x7F80;

template <class T>
double value(std::uint16_t bits) {
  return static_cast<double>(static_cast<float>(T::from_bits(bits)));
}

// The value from the definition of the format: sign, exponent, fraction.
template <class T>
double defined_value(std::uint16_t bits) {
  const int fraction_bits = std::countr_zero(infinity_bits<T>);
  const int bias = (1 << (14 - fraction_bits)) - 1;
  const int exponent = (bits & 0x7FFF) >> fraction_bits;
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}

// The midpoint above a finite pattern; above the largest one, results round to infinity.
template <class T>
double midpoint_above(std::uint16_t bits) {
  return (defined_value<T>(bits) + defined_value<T>(static_cast<std::uint16_t>(bits + 1))) / 2;
}

template <class T>
void check_boundary(std::uint16_t below, double sign) {
  const std::uint16_t sign_bit = sign < 0 ? 0x8000 : 0;
  const auto above = static_cast<std::uint16_t>(below + 1);
  const std::uint16_t even = below % 2 == 0 ? below : above;
  const double middle = midpoint_above<T>(below);
  REQUIRE(T(sign * middle).bits == (even | sign_bit));
  REQUIRE(T(sign * std::nextafter(middle, 0.0)).bits == (below | sign_bit));
  REQUIRE(T(sign * std::nextafter(middle, half_infinity)).bits == (above | sign_bit));
}

}  // namespace

TEST_CASE_TEMPLATE("every finite pattern has the value the format defines", T, float16, bfloat16) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    if ((pattern & 0x7FFF) >= infinity_bits<T>) continue;
    REQUIRE(value<T>(pattern) == defined_value<T>(pattern));
    REQUIRE(std::signbit(value<T>(pattern)) == (bits >= 0x8000));
  }
}

TEST_CASE_TEMPLATE("every pattern survives the way to float and back", T, float16, bfloat16) {
  const auto quiet = static_cast<std::uint16_t>(infinity_bits<T> & -infinity_bits<T>) / 2;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const bool is_nan = (bits & 0x7FFF) > infinity_bits<T>;
    const float there = T::from_bits(static_cast<std::uint16_t>(bits));
    REQUIRE(std::isnan(there) == is_nan);
    REQUIRE(T(there).bits == (is_nan ? bits | quiet : bits));
  }
}

TEST_CASE_TEMPLATE("doubles round to the nearest value, ties to even, everywhere", T, float16,
                   bfloat16) {
  for (std::uint16_t below = 0; below < infinity_bits<T>; ++below) {
    check_boundary<T>(below, 1.0);
    check_boundary<T>(below, -1.0);
  }
}

TEST_CASE_TEMPLATE("floats round to the nearest value, ties to even, everywhere", T, float16,
                   bfloat16) {
  for (std::uint16_t below = 0; below < infinity_bits<T> - 1; ++below) {
    const auto middle = static_cast<float>(midpoint_above<T>(below));
    if (static_cast<double>(middle) != midpoint_above<T>(below)) continue;
    REQUIRE(T(middle).bits == below + below % 2);
  }
}

TEST_CASE_TEMPLATE("infinities and zeros keep their sign", T, float16, bfloat16) {
  CHECK(T(half_infinity).bits == infinity_bits<T>);
  CHECK(T(-half_infinity).bits == (infinity_bits<T> | 0x8000));
  CHECK(T(0.0).bits == 0);
  CHECK(T(-0.0).bits == 0x8000);
  CHECK(T(std::numeric_limits<double>::denorm_min()).bits == 0);
  CHECK(T(-std::numeric_limits<double>::min()).bits == 0x8000);
  CHECK(T(std::numeric_limits<double>::max()).bits == infinity_bits<T>);
}

TEST_CASE_TEMPLATE("a NaN whose payload is lost stays a NaN", T, float16, bfloat16) {
  const auto signalling = std::bit_cast<double>(std::uint64_t{0x7FF0000000000001});
  CHECK(std::isnan(static_cast<float>(T(signalling))));
}

TEST_CASE("a double is rounded once") {
  // Rounded to float first, this would be a tie and go down to 1.
  const double above_tie = 1.0 + 0x1p-11 + 0x1p-40;
  CHECK(float16(above_tie).bits == 0x3C01);
  CHECK(float16(static_cast<float>(above_tie)).bits == 0x3C00);
  CHECK(bfloat16(1.0 + 0x1p-8 + 0x1p-40).bits == 0x3F81);
}

TEST_CASE("the limits of float16 are those of IEEE binary16") {
  CHECK(value<float16>(0x7BFF) == 65504.0);
  CHECK(value<float16>(0x0400) == 0x1p-14);
  CHECK(value<float16>(0x0001) == 0x1p-24);
  CHECK(float16(65519.0).bits == 0x7BFF);
  CHECK(float16(65520.0).bits == 0x7C00);
}

TEST_CASE("16-bit values compare and add as floats") {
  CHECK(float16(1) < float16(2));
  CHECK(float16(1.5F) + float16(2) == 3.5F);
  CHECK(bfloat16(3) == bfloat16(3.0));
}

}  // namespace mithril
