#include "mithril/serialization/narrow.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

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

template <typename To>
void narrow_integers(const std::string& key, StorageType type, const Tensor& from, To* to) {
  for (std::int64_t i = 0; i < from.size(); ++i) {
    const double value = from.at_as_double(i);
    const bool fits = value >= static_cast<double>(std::numeric_limits<To>::min()) &&
                      value <= static_cast<double>(std::numeric_limits<To>::max()) &&
                      value == std::trunc(value);
    if (!fits) refuse_narrow(key, type, fmt::format("{} at element {}", value, i));
    to[i] = static_cast<To>(value);
  }
}

}  // namespace

Tensor narrowed(const std::string& name, StorageType type, const Tensor& tensor) {
  const auto dtype = same_dtype(type);
  if (dtype && (!is_stored_only(*dtype) || tensor.dtype() == *dtype)) return tensor.to(*dtype);
  const auto bytes = tensor.size() * bits_of(type) / 8;
  Tensor made = Tensor::empty(DType::boolean, {bytes});
  void* to = made.mutable_raw_data();
  if (const auto format = float8_format(type)) {
    const Float8Encoder encode(*format);
    const Tensor floats = tensor.to(DType::float32);
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      static_cast<std::uint8_t*>(to)[i] = encode(floats.data<float>()[i]);
    }
  } else if (type == StorageType::uint8) {
    narrow_integers(name, type, tensor, static_cast<std::uint8_t*>(to));
  } else if (type == StorageType::int8) {
    narrow_integers(name, type, tensor, static_cast<std::int8_t*>(to));
  } else if (type == StorageType::int16) {
    narrow_integers(name, type, tensor, static_cast<std::int16_t*>(to));
  } else if (type == StorageType::uint16) {
    narrow_integers(name, type, tensor, static_cast<std::uint16_t*>(to));
  } else if (type == StorageType::uint32) {
    narrow_integers(name, type, tensor, static_cast<std::uint32_t*>(to));
  } else {
    refuse_narrow(name, type, dtype_and_dims(tensor));
  }
  return made;
}

}  // namespace mithril
