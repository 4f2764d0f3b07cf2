#include "codegen/jax/python_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {
namespace {

std::string python_element(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::boolean:
      return tensor.data<bool>()[i] ? "True" : "False";
    case DType::int32:
      return std::to_string(tensor.data<int32_t>()[i]);
    case DType::int64:
      return std::to_string(tensor.data<int64_t>()[i]);
    case DType::uint64:
      return std::to_string(tensor.data<uint64_t>()[i]);
    default:
      if (!is_floating(tensor.dtype()))
        return std::to_string(static_cast<int64_t>(tensor.at_as_double(i)));
      return python_number(tensor.at_as_double(i), tensor.dtype());
  }
}

// "[1.0, 2.0]", broken where a line would be too long.
std::string python_list(const Tensor& tensor, size_t indentation) {
  constexpr size_t width = 100;
  const std::string indent(indentation, ' ');
  std::string text, line = "[";
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const std::string item = python_element(tensor, i) + (i + 1 < tensor.size() ? "," : "]");
    if (!line.empty() && indentation + line.size() + 1 + item.size() > width) {
      text += line + "\n" + indent;
      line.clear();
    }
    line += (line.empty() || line == "[" ? "" : " ") + item;
  }
  return text + line + (tensor.size() == 0 ? "]" : "");
}

bool is_uniform(const Tensor& tensor) {
  if (tensor.size() < 2) return false;
  const size_t width = size_of(tensor.dtype());
  const auto* bytes = static_cast<const char*>(tensor.raw_data());
  for (size_t i = width; i < tensor.bytes(); ++i) {
    if (bytes[i] != bytes[i - width]) return false;
  }
  return true;
}

}  // namespace

std::string python_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string jax_dtype(DType dtype) {
  if (dtype == DType::boolean) return "bool";
  if (dtype == DType::int64) return "int";
  return "jnp." + std::string(name(dtype));
}

std::string python_number(double number, DType dtype) {
  if (std::isnan(number)) return "jnp.nan";
  const bool is_single = dtype == DType::float32;
  if (std::isinf(number)) return number < 0 ? "-jnp.inf" : "jnp.inf";
  std::string text =
      is_single ? fmt::format("{}", static_cast<float>(number)) : fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string python_tuple(const std::vector<std::string>& items) {
  return "(" + join(items, ", ") + (items.size() == 1 ? ",)" : ")");
}

std::string python_value(const Datum& datum, const std::function<std::string(const Dim&)>& dim) {
  switch (datum.kind()) {
    case kind::none:
      return "None";
    case kind::bool_value:
      return datum.flag() ? "True" : "False";
    case kind::int_value:
      return dim(datum.dim());
    case kind::float_value:
      return python_number(datum.real());
    case kind::string:
      return python_string(datum.text());
    case kind::dtype:
      return jax_dtype(datum.dtype());
    case kind::tuple: {
      std::vector<std::string> items;
      for (const Datum& item : datum.tuple()) items.push_back(python_value(item, dim));
      return python_tuple(items);
    }
    case kind::slice: {
      const Slice& slice = datum.slice();
      return "slice(" + python_value(slice.start, dim) + ", " + python_value(slice.stop, dim) +
             ", " + python_value(slice.step, dim) + ")";
    }
    default:
      return "...";
  }
}

std::string jax_constant(const Tensor& tensor, size_t indentation) {
  const std::string dtype = jax_dtype(tensor.dtype());
  std::vector<std::string> dims;
  for (const int64_t dim : tensor.dims()) dims.push_back(std::to_string(dim));
  if (tensor.rank() == 0) return "jnp.asarray(" + python_element(tensor, 0) + ", " + dtype + ")";
  if (is_uniform(tensor)) {
    return "jnp.full(" + python_tuple(dims) + ", " + python_element(tensor, 0) + ", " + dtype + ")";
  }
  const std::string flat = "jnp.asarray(" + python_list(tensor, indentation) + ", " + dtype + ")";
  return tensor.rank() == 1 ? flat : flat + ".reshape(" + join(dims, ", ") + ")";
}

std::string statement_line(const std::string& text, const std::string& remark) {
  constexpr size_t jax_line_width = 100;
  if (remark.empty()) return "    " + text + "\n";
  const bool fits = text.size() + 2 + remark.size() + 4 <= jax_line_width;
  if (fits && text.find('\n') == std::string::npos) return "    " + text + "  " + remark + "\n";
  return "    " + remark + "\n    " + text + "\n";
}

}  // namespace mithril::codegen
