// The facts about each dtype, in one table.
#include "mithril/tensor/dtype.hpp"

#include <iterator>
#include <string>
#include <vector>

#include "mithril/base/names.hpp"

namespace mithril {

namespace {

enum class Family { boolean, integer, floating };

struct Facts {
  std::string_view name;
  std::size_t size;
  Family family;
};

// In the order of the enumeration, which is the order of promotion except for the two 16-bit types.
constexpr Facts table[] = {
    {"bool", 1, Family::boolean},      {"int32", 4, Family::integer},
    {"int64", 8, Family::integer},     {"float16", 2, Family::floating},
    {"bfloat16", 2, Family::floating}, {"float32", 4, Family::floating},
    {"float64", 8, Family::floating},
};
static_assert(std::size(table) == std::size(all_dtypes));

const Facts& facts(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  MITHRIL_CHECK(index < std::size(table), "a dtype outside the enumeration");
  return table[index];
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

DType promote(DType a, DType b) {
  const bool two_halves =
      a != b && is_floating(a) && is_floating(b) && size_of(a) == 2 && size_of(b) == 2;
  if (two_halves) return DType::float32;
  return a > b ? a : b;
}

}  // namespace mithril
