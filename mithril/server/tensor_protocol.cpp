#include "mithril/server/tensor_protocol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "mithril/base/names.hpp"

namespace mithril {
namespace {

static_assert(std::endian::native == std::endian::little, "binary tensors are little-endian");

constexpr std::array<std::pair<DType, const char*>, 13> protocol_names{{{DType::boolean, "BOOL"},
                                                                        {DType::uint16, "UINT16"},
                                                                        {DType::uint32, "UINT32"},
                                                                        {DType::uint64, "UINT64"},
                                                                        {DType::int8, "INT8"},
                                                                        {DType::int16, "INT16"},
                                                                        {DType::uint8, "UINT8"},
                                                                        {DType::int32, "INT32"},
                                                                        {DType::int64, "INT64"},
                                                                        {DType::float16, "FP16"},
                                                                        {DType::bfloat16, "BF16"},
                                                                        {DType::float32, "FP32"},
                                                                        {DType::float64, "FP64"}}};

[[noreturn]] void refuse_size(const std::string& where, const char* unit, std::int64_t got,
                              std::int64_t expected, const Dims& dims) {
  raise({.kind = ErrorKind::input,
         .code = "E1231",
         .message = where + " has " + std::to_string(got) + " " + unit + ", expected " +
                    std::to_string(expected),
         .facts = {{"shape", to_string(dims)}}});
}

[[noreturn]] void refuse_element(const std::string& where, const Json& element, DType dtype) {
  raise({.kind = ErrorKind::input,
         .code = "E1233",
         .message = where + " has an element that is not " + std::string(protocol_name(dtype)),
         .facts = {{"element", to_text(element).substr(0, 60)}}});
}

class NumberReader {
 public:
  NumberReader(Tensor& tensor, const std::string& where) : tensor_(tensor), where_(where) {}

  void read(const Json& data) {
    if (const auto* items = data.as<Json::Array>()) {
      for (const Json& item : *items) read(item);
      return;
    }
    write(data);
    ++count_;
  }

 private:
  void write(const Json& element) {
    visit_dtype(tensor_.dtype(), [&](auto zero) {
      using T = decltype(zero);
      T& target = static_cast<T*>(tensor_.mutable_raw_data())[count_];
      if constexpr (std::is_same_v<T, bool>) {
        target = flag(element);
      } else if constexpr (std::is_integral_v<T>) {
        target = integer<T>(element);
      } else {
        target = real<T>(element);
      }
    });
  }

  bool flag(const Json& element) const {
    if (const auto* flag = element.as<bool>()) return *flag;
    const auto* number = element.as<std::int64_t>();
    if (!number || (*number != 0 && *number != 1)) refuse_element(where_, element, tensor_.dtype());
    return *number == 1;
  }

  template <typename T>
  T integer(const Json& element) const {
    const auto* number = element.as<std::int64_t>();
    if (!number || !std::in_range<T>(*number)) {
      refuse_element(where_, element, tensor_.dtype());
    }
    return static_cast<T>(*number);
  }

  template <typename T>
  T real(const Json& element) const {
    double number = 0;
    if (const auto* given = element.as<double>()) {
      number = *given;
    } else if (const auto* integer = element.as<std::int64_t>()) {
      number = static_cast<double>(*integer);
    } else {
      refuse_element(where_, element, tensor_.dtype());
    }
    if constexpr (std::is_same_v<T, double>) {
      return number;
    } else {
      // JSON has no infinity, so one would come from a number that the datatype cannot hold.
      // Numbers below `end` round to the largest float, whose shortest text is "3.4028235e38".
      constexpr double largest = std::numeric_limits<float>::max(), end = 0x1.ffffffp127;
      const bool fits_float = std::abs(number) < end;
      const double within = std::clamp(number, -largest, largest);
      const T converted = static_cast<T>(fits_float ? static_cast<float>(within) : 0.0F);
      if (!fits_float || !std::isfinite(static_cast<float>(converted)))
        refuse_element(where_, element, tensor_.dtype());
      return converted;
    }
  }

  Tensor& tensor_;
  const std::string& where_;
  std::int64_t count_ = 0;
};

// Nested lists have the sizes of the dims. Refuses others, before anything is allocated by the
// dims, which are the client's.
void check_nested(const Json& data, DType dtype, const Dims& dims, std::size_t axis,
                  const std::string& where) {
  const auto* items = data.as<Json::Array>();
  if (axis == dims.size()) {
    if (items) refuse_element(where, data, dtype);
    return;
  }
  const std::int64_t got = items ? static_cast<std::int64_t>(items->size()) : 0;
  if (!items || got != dims[axis])
    refuse_size(where, ("items in axis " + std::to_string(axis)).c_str(), got, dims[axis], dims);
  for (const Json& item : *items) check_nested(item, dtype, dims, axis + 1, where);
}

template <typename Number>
void append_number(std::string& text, Number number) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  text.append(buffer.data(), end);
}

}  // namespace

std::string_view protocol_name(DType dtype) {
  for (const auto& [candidate, name] : protocol_names) {
    if (candidate == dtype) return name;
  }
  if (is_low_bit(dtype)) refuse_low_bit(dtype);
  MITHRIL_CHECK(false, "a dtype without a name in the protocol");
  return {};
}

DType parse_protocol_name(const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const auto& [dtype, candidate] : protocol_names) {
    if (name == candidate) return dtype;
    known.emplace_back(candidate);
  }
  unknown_name(ErrorKind::type, "E1232", "datatype of tensors", name, where, known);
}

Tensor tensor_of_bytes(DType dtype, const Dims& dims, std::string_view bytes,
                       const std::string& where) {
  const std::int64_t count = element_count(dims);
  const auto got = static_cast<std::int64_t>(bytes.size());
  const auto element = static_cast<std::int64_t>(size_of(dtype));
  if (got / element != count || got % element != 0)
    refuse_size(where, "bytes", got, count * element, dims);
  Tensor tensor = Tensor::empty(dtype, dims);
  if (got == 0) return tensor;
  auto* target = static_cast<char*>(tensor.mutable_raw_data());
  if (dtype == DType::boolean) {
    for (std::size_t i = 0; i < bytes.size(); ++i) target[i] = bytes[i] != 0;
  } else {
    std::memcpy(target, bytes.data(), bytes.size());
  }
  return tensor;
}

Tensor tensor_of_numbers(DType dtype, const Dims& dims, const Json& data,
                         const std::string& where) {
  const std::int64_t count = element_count(dims);
  const auto* items = data.as<Json::Array>();
  if (!items) refuse_element(where, data, dtype);
  const bool is_nested = !items->empty() && items->front().as<Json::Array>();
  if (is_nested) {
    check_nested(data, dtype, dims, 0, where);
  } else if (const auto got = static_cast<std::int64_t>(items->size()); got != count) {
    refuse_size(where, "elements", got, count, dims);
  }
  for (const Json& item : *items) {
    if (!is_nested && item.as<Json::Array>()) refuse_element(where, item, dtype);
  }
  Tensor tensor = Tensor::empty(dtype, dims);
  NumberReader(tensor, where).read(data);
  return tensor;
}

void append_bytes(std::string& text, const Tensor& tensor) {
  const Tensor host = tensor.host();
  if (host.bytes() > 0) text.append(static_cast<const char*>(host.raw_data()), host.bytes());
}

void append_numbers(std::string& text, const Tensor& tensor) {
  const Tensor host = tensor.host();
  text += '[';
  visit_dtype(host.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto* elements = static_cast<const T*>(host.raw_data());
    for (std::int64_t i = 0; i < host.size(); ++i) {
      if (i > 0) text += ", ";
      if constexpr (std::is_same_v<T, bool>) {
        text += elements[i] ? "true" : "false";
      } else if constexpr (std::is_integral_v<T>) {
        append_number(text, elements[i]);
      } else {
        using Written = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const auto number = static_cast<Written>(elements[i]);
        if (std::isfinite(number)) {
          append_number(text, number);
        } else {
          text += "null";
        }
      }
    }
  });
  text += ']';
}

}  // namespace mithril
