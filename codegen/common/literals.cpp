#include "codegen/common/literals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mithril::codegen {
namespace {

// For a float32 the fewest digits that distinguish it from its neighbours.
std::string real_literal(double number, DType dtype) {
  const std::string type = type_name(dtype);
  if (std::isnan(number)) return "std::numeric_limits<" + type + ">::quiet_NaN()";
  const bool is_single = dtype == DType::float32;
  const double shown = is_single ? static_cast<float>(number) : number;
  if (std::isinf(shown)) {
    return (shown < 0 ? "-std::numeric_limits<" : "std::numeric_limits<") + type + ">::infinity()";
  }
  std::string text =
      is_single ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return is_single ? text + "f" : text;
}

std::string tuple_argument(const Tuple& items) {
  const bool ints = std::all_of(items.begin(), items.end(), [](const Datum& item) {
    return item.kind() == kind::int_value || item.is_none();
  });
  std::string text;
  for (const Datum& item : items) {
    if (!text.empty()) text += ", ";
    text += ints && item.is_none() ? "absent" : argument(item);
  }
  return (ints ? "ints(" : "std::make_tuple(") + text + ")";
}

std::string element(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::boolean:
      return tensor.data<bool>()[i] ? "true" : "false";
    case DType::int32:
      return literal(static_cast<int64_t>(tensor.data<int32_t>()[i]), DType::int32);
    case DType::int64:
      return literal(tensor.data<int64_t>()[i], DType::int64);
    case DType::uint64:
      return std::to_string(tensor.data<uint64_t>()[i]) + "u";
    default:
      return literal(tensor.at_as_double(i), tensor.dtype());
  }
}

}  // namespace

std::string type_name(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "bool";
    case DType::int32:
      return "int32_t";
    case DType::int64:
      return "int64_t";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::int8:
    case DType::int16:
    case DType::uint8:
    case DType::uint16:
    case DType::uint32:
    case DType::uint64:
      return std::string(name(dtype)) + "_t";
    default:
      break;
  }
  MITHRIL_CHECK(false, "C++ has no type for " + std::string(name(dtype)));
  return {};
}

std::string literal(double number, DType dtype) {
  if (is_floating(dtype)) return real_literal(number, dtype);
  if (dtype == DType::boolean) return number != 0 ? "true" : "false";
  return literal(static_cast<int64_t>(number), dtype);
}

// The smallest number has no literal: the minus sign is an operator.
std::string literal(int64_t number, DType dtype) {
  if (is_floating(dtype)) return real_literal(static_cast<double>(number), dtype);
  if (dtype == DType::boolean) return number != 0 ? "true" : "false";
  if (number == std::numeric_limits<int64_t>::min()) return "std::numeric_limits<int64_t>::min()";
  if (dtype == DType::int32 && number == std::numeric_limits<int32_t>::min())
    return "std::numeric_limits<int32_t>::min()";
  return std::to_string(number);
}

bool is_word(const Datum& datum) {
  return datum.kind() == kind::string &&
         datum.text().find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos;
}

std::string argument(const Datum& datum) {
  switch (datum.kind()) {
    case kind::bool_value:
      return datum.flag() ? "true" : "false";
    case kind::int_value:
      return literal(datum.integer(), DType::int64);
    case kind::float_value:
      return literal(datum.real(), DType::float64);
    case kind::tuple:
      return tuple_argument(datum.tuple());
    case kind::string:
      return is_word(datum) ? '"' + datum.text() + '"' : "none";
    default:
      return "none";  // dtypes are those of the tensors
  }
}

bool are_zeros(const Tensor& tensor) {
  const auto* const bytes = static_cast<const std::byte*>(tensor.raw_data());
  return std::all_of(bytes, bytes + tensor.bytes(),
                     [](std::byte byte) { return byte == std::byte{}; });
}

std::string elements(const Tensor& tensor) {
  constexpr size_t width = 100;
  std::string text = "    ", line;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    std::string next = element(tensor, i);
    if (i + 1 < tensor.size()) next += ",";
    if (!line.empty() && 4 + line.size() + 1 + next.size() > width) {
      text += line + "\n    ";
      line.clear();
    }
    line += line.empty() ? next : " " + next;
  }
  return text + line;
}

}  // namespace mithril::codegen
