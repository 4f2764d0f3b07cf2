// The facts about each dtype, in one table.
#include "mithril/tensor/dtype.hpp"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/names.hpp"

namespace mithril {

namespace {

enum class Family { boolean, integer, natural, floating };

struct DTypeFacts {
  std::string_view name;
  std::size_t size;
  Family family;
  int rank;  // the higher one wins in promotions within and between families, but see promote
};

// In the order of the enumeration.
constexpr DTypeFacts dtype_table[] = {
    {"bool", 1, Family::boolean, 0},
    {"int32", 4, Family::integer, 6},
    {"int64", 8, Family::integer, 8},
    {"float16", 2, Family::floating, 9},
    {"bfloat16", 2, Family::floating, 10},
    {"float32", 4, Family::floating, 11},
    {"float64", 8, Family::floating, 12},
    {"int8", 1, Family::integer, 2},
    {"int16", 2, Family::integer, 4},
    {"uint8", 1, Family::natural, 1},
    {"uint16", 2, Family::natural, 3},
    {"uint32", 4, Family::natural, 5},
    {"uint64", 8, Family::natural, 7},
    {"float8_e4m3fn", 1, Family::floating, 0},
    {"float8_e4m3fnuz", 1, Family::floating, 0},
    {"float8_e5m2", 1, Family::floating, 0},
    {"float8_e5m2fnuz", 1, Family::floating, 0},
    {"float8_e8m0fnu", 1, Family::floating, 0},
    {"float4_e2m1fn", 1, Family::floating, 0},
    {"int4", 1, Family::integer, 0},
    {"uint4", 1, Family::natural, 0},
    {"int2", 1, Family::integer, 0},
    {"uint2", 1, Family::natural, 0},
};
static_assert(std::size(dtype_table) == std::size(all_dtypes));

const DTypeFacts& facts(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  MITHRIL_CHECK(index < std::size(dtype_table), "a dtype outside the enumeration");
  return dtype_table[index];
}

// The narrowest signed integer that holds an unsigned one; int64 for uint64.
DType signed_holder(DType natural) {
  const std::size_t size = size_of(natural);
  return size == 1 ? DType::int16 : size == 2 ? DType::int32 : DType::int64;
}

DType low_bit_widened(DType dtype) { return is_low_bit(dtype) ? widened(dtype) : dtype; }

}  // namespace

std::string_view name(DType dtype) { return facts(dtype).name; }

DType parse_dtype(std::string_view text) {
  std::vector<std::string> names;
  for (const DType dtype : all_dtypes) {
    if (name(dtype) == text) return dtype;
    names.emplace_back(name(dtype));
  }
  unknown_name(ErrorKind::name, "E0680", "dtype", text, "", names);
}

std::size_t size_of(DType dtype) { return facts(dtype).size; }

bool is_floating(DType dtype) { return facts(dtype).family == Family::floating; }

bool is_integer(DType dtype) {
  return facts(dtype).family == Family::integer || is_unsigned(dtype);
}

bool is_unsigned(DType dtype) { return facts(dtype).family == Family::natural; }

bool is_low_bit(DType dtype) { return dtype >= DType::float8_e4m3fn && dtype <= DType::uint2; }

void refuse_low_bit(DType dtype) {
  raise(
      {.kind = ErrorKind::type,
       .code = "E1364",
       .message = "elements of " + std::string(name(dtype)) + " are stored, and not computed with",
       .help = "cast them to " + std::string(name(widened(dtype))) + " first"});
}

bool is_stored_only(DType dtype) {
  return is_low_bit(dtype) || is_unsigned(dtype) || (is_integer(dtype) && size_of(dtype) < 4);
}

DType widened(DType dtype) {
  if (!is_stored_only(dtype)) return dtype;
  if (is_floating(dtype)) return DType::float32;
  return size_of(dtype) < 4 ? DType::int32 : DType::int64;
}

DType opmath_dtype(DType dtype) {
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  return is_half ? DType::float32 : dtype;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_low_bit(a) || is_low_bit(b)) return promote(low_bit_widened(a), low_bit_widened(b));
  if (facts(a).rank < facts(b).rank) std::swap(a, b);
  if (is_floating(b) && size_of(a) == size_of(b)) return DType::float32;
  const bool is_other_sign = is_integer(a) && is_integer(b) && is_unsigned(a) != is_unsigned(b);
  if (!is_other_sign) return a;
  const DType natural = is_unsigned(a) ? a : b, integer = is_unsigned(a) ? b : a;
  const DType holder = signed_holder(natural);
  return size_of(holder) > size_of(integer) ? holder : integer;
}

}  // namespace mithril
