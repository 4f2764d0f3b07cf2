#include "mithril/tensor/low_bit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mithril/tensor/convert.hpp"

namespace mithril {
namespace {

struct LowFloat {
  int bits, exponent_bits, bias;  // 1 sign bit unless there are 8 exponent bits
  bool has_infinity = false;
  // The code of negative zero is the only NaN (FNUZ). Otherwise the largest exponent has the NaNs:
  // with an infinity all mantissas but 0, without one only the largest.
  bool zero_is_unsigned = false;
  bool is_finite = false;  // neither an infinity nor a NaN
};

LowFloat format_of(DType dtype) {
  switch (dtype) {
    case DType::float8_e4m3fn:
      return {8, 4, 7};
    case DType::float8_e4m3fnuz:
      return {.bits = 8, .exponent_bits = 4, .bias = 8, .zero_is_unsigned = true};
    case DType::float8_e5m2:
      return {.bits = 8, .exponent_bits = 5, .bias = 15, .has_infinity = true};
    case DType::float8_e5m2fnuz:
      return {.bits = 8, .exponent_bits = 5, .bias = 16, .zero_is_unsigned = true};
    case DType::float8_e8m0fnu:
      return {8, 8, 127};
    case DType::float4_e2m1fn:
      return {.bits = 4, .exponent_bits = 2, .bias = 1, .is_finite = true};
    default:
      break;
  }
  MITHRIL_CHECK(false, std::string(name(dtype)) + " is not a float8 or float4");
}

float number_of(const LowFloat& format, unsigned byte) {
  const unsigned code = byte & ((1U << format.bits) - 1);
  const bool is_signed = format.exponent_bits < 8;
  const int mantissa_bits = format.bits - format.exponent_bits - (is_signed ? 1 : 0);
  const unsigned largest_mantissa = (1U << mantissa_bits) - 1;
  const unsigned largest_exponent = (1U << format.exponent_bits) - 1;
  const unsigned mantissa = code & largest_mantissa;
  const unsigned exponent = code >> mantissa_bits & largest_exponent;
  const float sign = is_signed && code >> (format.bits - 1) != 0 ? -1.0F : 1.0F;
  const float nan = std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  if (format.zero_is_unsigned) {
    if (code == 0x80) return nan;
  } else if (exponent == largest_exponent && !format.is_finite) {
    if (format.has_infinity && mantissa == 0) return sign * std::numeric_limits<float>::infinity();
    if (format.has_infinity || mantissa == largest_mantissa) return nan;
  }
  if (!is_signed) return std::ldexp(1.0F, static_cast<int>(exponent) - format.bias);
  const unsigned hidden = exponent == 0 ? 0 : 1U << mantissa_bits;
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - mantissa_bits;
  return sign * std::ldexp(static_cast<float>(hidden + mantissa), power);
}

float integer_of(DType dtype, unsigned byte) {
  const int bits = bits_of(dtype);
  const int code = static_cast<int>(byte & ((1U << bits) - 1));
  const bool is_negative = !is_unsigned(dtype) && code >> (bits - 1) != 0;
  return static_cast<float>(is_negative ? code - (1 << bits) : code);
}

std::array<float, 256> table_of(DType dtype) {
  std::array<float, 256> numbers{};
  for (unsigned byte = 0; byte < numbers.size(); ++byte) {
    numbers[byte] =
        is_floating(dtype) ? number_of(format_of(dtype), byte) : integer_of(dtype, byte);
  }
  return numbers;
}

class FloatEncoder {
 public:
  explicit FloatEncoder(DType dtype)
      : format_(format_of(dtype)),
        numbers_(numbers_of(dtype)),
        is_signed_(format_.exponent_bits < 8),
        sign_(is_signed_ ? 1U << (format_.bits - 1) : 0) {
    const int codes = 1 << (format_.bits - (is_signed_ ? 1 : 0));
    while (finite_ < codes && std::isfinite(numbers_[static_cast<std::size_t>(finite_)])) ++finite_;
    nan_ = format_.zero_is_unsigned || format_.is_finite ? sign_ : static_cast<unsigned>(codes - 1);
    overflow_ = format_.has_infinity ? static_cast<unsigned>(finite_)
                : format_.is_finite  ? static_cast<unsigned>(finite_ - 1)
                                     : nan_;
    const double largest = numbers_[static_cast<std::size_t>(finite_ - 1)];
    const double before = numbers_[static_cast<std::size_t>(finite_ - 2)];
    limit_ = is_signed_ ? largest + (largest - before) / 2 : 2 * largest * 0.75;
  }

  std::uint8_t operator()(double number) const {
    if (std::isnan(number) && format_.is_finite)
      return static_cast<std::uint8_t>(std::signbit(number) ? 0 : sign_);
    if (std::isnan(number) || (!is_signed_ && !(number > 0)))
      return static_cast<std::uint8_t>(nan_);
    const unsigned code = code_of(std::abs(number));
    const bool keeps = code == nan_ || (format_.zero_is_unsigned && code == 0);
    return static_cast<std::uint8_t>(std::signbit(number) && !keeps ? code | sign_ : code);
  }

 private:
  unsigned code_of(double size) const {
    // The largest number is odd only if the next code up is even, so that a tie rounds up.
    const bool largest_is_even = is_signed_ && finite_ % 2 == 1;
    if (size > limit_ || (size == limit_ && !largest_is_even)) return overflow_;
    const auto* first = numbers_.data();
    const auto* above = std::lower_bound(first, first + finite_, size);
    if (above == first) return 0;
    if (above == first + finite_) return static_cast<unsigned>(finite_ - 1);
    const double up = *above - size, down = size - *(above - 1);
    const auto code = static_cast<unsigned>(above - first);
    const bool take_up = up < down || (up == down && (code % 2 == 0 || !is_signed_));
    return take_up ? code : code - 1;
  }

  LowFloat format_;
  const std::array<float, 256>& numbers_;
  bool is_signed_;
  unsigned sign_;
  int finite_ = 0;  // codes 0 to finite_ - 1 are the finite numbers without a sign, in order
  unsigned overflow_, nan_;
  double limit_;  // what is not less than this rounds beyond the largest number
};

class IntegerEncoder {
 public:
  explicit IntegerEncoder(DType dtype) : mask_((1 << bits_of(dtype)) - 1) {}

  std::uint8_t code(std::int64_t number) const { return static_cast<std::uint8_t>(number & mask_); }

 private:
  int mask_;
};

}  // namespace

int bits_of(DType dtype) {
  switch (dtype) {
    case DType::float4_e2m1fn:
    case DType::int4:
    case DType::uint4:
      return 4;
    case DType::int2:
    case DType::uint2:
      return 2;
    default:
      return static_cast<int>(8 * size_of(dtype));
  }
}

const std::array<float, 256>& numbers_of(DType low_bit) {
  static const auto tables = [] {
    std::map<DType, std::array<float, 256>> made;
    for (const DType dtype : low_bit_dtypes) made.emplace(dtype, table_of(dtype));
    return made;
  }();
  return tables.at(low_bit);
}

void encode(DType low_bit, std::span<const double> numbers, std::uint8_t* to) {
  if (is_floating(low_bit)) {
    const FloatEncoder encoder(low_bit);
    for (const double number : numbers) *to++ = encoder(number);
  } else {
    const IntegerEncoder encoder(low_bit);
    for (const double number : numbers) *to++ = encoder.code(convert<std::int32_t>(number));
  }
}

void encode(DType low_bit, std::span<const std::int64_t> integers, std::uint8_t* to) {
  const IntegerEncoder encoder(low_bit);
  for (const std::int64_t integer : integers) *to++ = encoder.code(integer);
}

}  // namespace mithril
