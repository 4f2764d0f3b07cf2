// The facts about each dtype, in one table.
#include "mithril/tensor/dtype.hpp"

#include <iterator>
#include <string>
#include <vector>

#include "mithril/base/names.hpp"

namespace mithril {

namespace {

enum class Family { boolean, integer, floating };

struct DTypeFacts {
  std::string_view name;
  std::size_t size;
  Family family;
  int rank;  // the higher one wins in promotions, unless family and size are equal
};

// In the order of the enumeration.
constexpr DTypeFacts dtype_table[] = {
    {"bool", 1, Family::boolean, 0},      {"int32", 4, Family::integer, 4},
    {"int64", 8, Family::integer, 5},     {"float16", 2, Family::floating, 6},
    {"bfloat16", 2, Family::floating, 7}, {"float32", 4, Family::floating, 8},
    {"float64", 8, Family::floating, 9},  {"int8", 1, Family::integer, 2},
    {"int16", 2, Family::integer, 3},     {"uint8", 1, Family::integer, 1},
};
static_assert(std::size(dtype_table) == std::size(all_dtypes));

const DTypeFacts& facts(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  MITHRIL_CHECK(index < std::size(dtype_table), "a dtype outside the enumeration");
  return dtype_table[index];
}

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

bool is_integer(DType dtype) { return facts(dtype).family == Family::integer; }

bool is_narrow(DType dtype) { return is_integer(dtype) && size_of(dtype) < 4; }

DType widened(DType dtype) { return is_narrow(dtype) ? DType::int32 : dtype; }

DType opmath_dtype(DType dtype) {
  const bool is_half = dtype == DType::float16 || dtype == DType::bfloat16;
  return is_half ? DType::float32 : dtype;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const bool equal_size = facts(a).family == facts(b).family && size_of(a) == size_of(b);
  if (equal_size) return is_floating(a) ? DType::float32 : DType::int16;
  return facts(a).rank > facts(b).rank ? a : b;
}

}  // namespace mithril
