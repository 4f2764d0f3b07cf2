#include "mithril/serialization/stored_elements.hpp"

#include <algorithm>
#include <cstring>

#include "mithril/tensor/low_bit.hpp"

namespace mithril {

std::optional<Dims> countable_dims(const std::vector<std::uint64_t>& dims) {
  std::int64_t size = 8;
  Dims made;
  for (const std::uint64_t dim : dims) {
    if (__builtin_mul_overflow(size, std::max<std::uint64_t>(dim, 1), &size)) return std::nullopt;
    made.push_back(static_cast<std::int64_t>(dim));
  }
  return made;
}

Tensor tensor_of_elements(StorageType type, Dims dims, std::span<std::byte> bytes,
                          const std::shared_ptr<void>& owner) {
  const auto dtype = same_dtype(type);
  MITHRIL_CHECK(dtype, "a type that is loaded");
  if (bits_of(type) < 8) return unpacked(*dtype, std::move(dims), bytes);
  if (bytes.empty()) return Tensor::empty(*dtype, std::move(dims));
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(*dtype) == 0;
  if (aligned) {
    return Tensor::borrow(*dtype, std::move(dims), static_cast<void*>(bytes.data()), owner);
  }
  Tensor copy = Tensor::empty(*dtype, std::move(dims));
  std::memcpy(copy.mutable_raw_data(), bytes.data(), bytes.size());
  return copy;
}

std::size_t packed_bytes(DType dtype, std::size_t elements) {
  const auto bits = static_cast<std::size_t>(bits_of(dtype));
  if (bits >= 8) return elements * (bits / 8);
  const std::size_t in_byte = 8 / bits;
  return elements / in_byte + (elements % in_byte != 0);
}

std::vector<std::byte> packed(const Tensor& tensor) {
  const auto bits = static_cast<std::size_t>(bits_of(tensor.dtype()));
  const auto count = static_cast<std::size_t>(tensor.size());
  const auto* from = static_cast<const std::byte*>(tensor.raw_data());
  const auto mask = static_cast<std::byte>((1U << bits) - 1);
  std::vector<std::byte> bytes(packed_bytes(tensor.dtype(), count));
  for (std::size_t i = 0; i < count; ++i) bytes[i * bits / 8] |= (from[i] & mask) << (i * bits % 8);
  return bytes;
}

Tensor unpacked(DType dtype, Dims dims, std::span<const std::byte> bytes) {
  Tensor made = Tensor::empty(dtype, std::move(dims));
  const auto bits = static_cast<std::size_t>(bits_of(dtype));
  const auto count = static_cast<std::size_t>(made.size());
  MITHRIL_CHECK(bytes.size() == packed_bytes(dtype, count), "all elements");
  const auto mask = static_cast<std::byte>((1U << bits) - 1);
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  for (std::size_t i = 0; i < count; ++i) to[i] = (bytes[i * bits / 8] >> (i * bits % 8)) & mask;
  return made;
}

Strides row_major_strides(const Dims& dims) {
  Strides strides(dims.size());
  std::uint64_t step = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(dims[i], 1));
  }
  return strides;
}

std::optional<std::uint64_t> strided_extent(const Dims& dims, const Strides& strides) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  std::int64_t extent = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::int64_t steps = 0;
    if (__builtin_mul_overflow(dims[i] - 1, strides[i], &steps) ||
        __builtin_add_overflow(extent, steps, &extent)) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint64_t>(extent);
}

std::vector<std::byte> row_major_copy(std::span<const std::byte> bytes, std::size_t element_bytes,
                                      const Dims& dims, const Strides& strides) {
  std::size_t count = 1;
  for (const std::int64_t dim : dims) count *= static_cast<std::size_t>(dim);
  std::vector<std::byte> made(count * element_bytes);
  std::vector<std::int64_t> index(dims.size());
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < count; ++to) {
    std::memcpy(&made[to * element_bytes], &bytes[from * element_bytes], element_bytes);
    for (std::size_t axis = dims.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < dims[axis]) break;
      from -= strides[axis] * static_cast<std::uint64_t>(dims[axis]);
      index[axis] = 0;
    }
  }
  return made;
}

}  // namespace mithril
