#include "mithril/serialization/narrow.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "mithril/base/text.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_narrow(const std::string& key, StorageType type, std::string got) {
  raise({.kind = ErrorKind::value,
         .code = "E0491",
         .path = key,
         .message = fmt::format("the tensor cannot be stored as {}", name(type)),
         .facts = {{"got", std::move(got), ""}},
         .help = "leave it out of the types, or choose a wider one"});
}

template <typename To, typename From>
bool holds(From number) {
  if constexpr (std::is_integral_v<From> && !std::is_same_v<From, bool>) {
    return std::in_range<To>(number);
  } else {
    const auto value = static_cast<double>(number);
    constexpr double above = 2.0 * (std::numeric_limits<To>::max() / 2 + 1);
    return value >= static_cast<double>(std::numeric_limits<To>::min()) && value < above &&
           value == std::trunc(value);
  }
}

template <typename To>
void narrow_integers(const std::string& key, StorageType type, const Tensor& from, To* to) {
  visit_dtype(from.dtype(), [&](auto zero) {
    using From = decltype(zero);
    std::int64_t i = 0;
    for (const From number : from.values<From>()) {
      if (!holds<To>(number))
        refuse_narrow(key, type, fmt::format("{} at element {}", from.at_as_double(i), i));
      to[i++] = static_cast<To>(number);
    }
  });
}

}  // namespace

Tensor narrowed(const std::string& name, StorageType type, const Tensor& tensor) {
  const auto dtype = same_dtype(type);
  if (dtype && (!is_integer(*dtype) || tensor.dtype() == *dtype)) return tensor.to(*dtype);
  if (dtype) {
    Tensor made = Tensor::empty(*dtype, tensor.dims());
    visit_dtype(*dtype, [&](auto zero) {
      using To = decltype(zero);
      if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>)
        narrow_integers(name, type, tensor, made.mutable_data<To>());
    });
    return made;
  }
  const auto format = float8_format(type);
  if (!format) refuse_narrow(name, type, dtype_and_dims(tensor));
  Tensor made = Tensor::empty(DType::boolean, {tensor.size()});
  auto* to = static_cast<std::uint8_t*>(made.mutable_raw_data());
  const Float8Encoder encode(*format);
  const Tensor floats = tensor.to(DType::float32);
  for (std::int64_t i = 0; i < tensor.size(); ++i) to[i] = encode(floats.data<float>()[i]);
  return made;
}

}  // namespace mithril
