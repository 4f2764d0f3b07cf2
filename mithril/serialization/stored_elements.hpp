// Tensors of elements in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mithril/serialization/storage_type.hpp"

namespace mithril {

// nullopt if 63 bits cannot count the bytes of a tensor with these dims, or, if it is empty, with 1
// in place of each 0: arrays of NumPy have strides that large.
std::optional<Dims> countable_dims(const std::vector<std::uint64_t>& dims);

// A tensor of row-major elements, which live as long as the owner. It shares them, unless its dtype
// is not the type in the file or they are not aligned to their size. `type` has a loaded_dtype.
Tensor tensor_of_elements(StorageType type, Dims dims, std::span<std::byte> bytes,
                          const std::shared_ptr<void>& owner);

// Low-bit elements as files have them: those of 4 bits two in a byte, those of 2 bits four, the
// first one in the lowest bits. The other bits of the last byte are 0.
std::vector<std::byte> packed(const Tensor& tensor);
Tensor unpacked(DType dtype, Dims dims, std::span<const std::byte> bytes);
// The number of bytes of this number of packed elements.
std::size_t packed_bytes(DType dtype, std::size_t elements);

// Steps of each axis in elements.
using Strides = std::vector<std::uint64_t>;

Strides row_major_strides(const Dims& dims);
// The number of elements from the first one to the last one; nothing if 63 bits cannot count it.
std::optional<std::uint64_t> strided_extent(const Dims& dims, const Strides& strides);
// A copy in row-major order of elements with these many bytes. All elements are inside of `bytes`.
std::vector<std::byte> row_major_copy(std::span<const std::byte> bytes, std::size_t element_bytes,
                                      const Dims& dims, const Strides& strides);

}  // namespace mithril
