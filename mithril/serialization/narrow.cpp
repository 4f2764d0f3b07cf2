#include "mithril/serialization/narrow.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "mithril/base/text.hpp"
#include "mithril/serialization/stored_elements.hpp"

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
  const Tensor wide = is_low_bit(from.dtype()) ? from.to(mithril::widened(from.dtype())) : from;
  visit_dtype(wide.dtype(), [&](auto zero) {
    using From = decltype(zero);
    std::int64_t i = 0;
    for (const From number : wide.values<From>()) {
      if (!holds<To>(number))
        refuse_narrow(key, type, fmt::format("{} at element {}", from.at_as_double(i), i));
      to[i++] = static_cast<To>(number);
    }
  });
}

// The packed bytes of elements of fewer than 8 bits, which fill bytes.
Tensor packed_tensor(const std::string& key, StorageType type, const Tensor& tensor) {
  if (tensor.size() * bits_of(type) % 8 != 0) refuse_narrow(key, type, dtype_and_dims(tensor));
  const std::vector<std::byte> bytes = packed(tensor);
  Tensor made = Tensor::empty(DType::uint8, {static_cast<std::int64_t>(bytes.size())});
  if (!bytes.empty()) std::memcpy(made.mutable_raw_data(), bytes.data(), bytes.size());
  return made;
}

}  // namespace

Tensor narrowed(const std::string& name, StorageType type, const Tensor& tensor) {
  const auto dtype = same_dtype(type);
  if (!dtype) refuse_narrow(name, type, dtype_and_dims(tensor));
  if (bits_of(type) < 8) return packed_tensor(name, type, tensor.to(*dtype));
  if (!is_integer(*dtype) || tensor.dtype() == *dtype) return tensor.to(*dtype);
  Tensor made = Tensor::empty(*dtype, tensor.dims());
  visit_dtype(*dtype, [&](auto zero) {
    using To = decltype(zero);
    if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>)
      narrow_integers(name, type, tensor, made.mutable_data<To>());
  });
  return made;
}

}  // namespace mithril
