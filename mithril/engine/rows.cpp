#include "mithril/engine/rows.hpp"

#include <algorithm>
#include <cstring>

namespace mithril {
namespace {

// A box of elements: the same sizes in two row-major arrays.
struct BoxCopy {
  const Dims& sizes;
  const Dims& source_dims;
  const Dims& target_dims;
  std::size_t element;  // bytes

  // The number of elements of one index of the axis.
  static std::int64_t stride(const Dims& dims, std::size_t axis) {
    std::int64_t result = 1;
    for (std::size_t i = axis + 1; i < dims.size(); ++i) result *= dims[i];
    return result;
  }

  // Whether the axes from this one on are contiguous in both.
  bool is_contiguous_from(std::size_t axis) const {
    for (std::size_t i = axis + 1; i < sizes.size(); ++i) {
      if (sizes[i] != source_dims[i] || sizes[i] != target_dims[i]) return false;
    }
    return true;
  }

  void copy(const std::byte* source, std::byte* target, std::size_t axis = 0) const {
    if (is_contiguous_from(axis)) {
      const auto count =
          static_cast<std::size_t>(sizes.empty() ? 1 : sizes[axis] * stride(sizes, axis));
      if (count > 0) std::memcpy(target, source, count * element);
      return;
    }
    const auto from = static_cast<std::size_t>(stride(source_dims, axis)) * element;
    const auto to = static_cast<std::size_t>(stride(target_dims, axis)) * element;
    for (std::int64_t i = 0; i < sizes[axis]; ++i, source += from, target += to)
      copy(source, target, axis + 1);
  }
};

const std::byte* bytes_of(const Tensor& tensor) {
  return static_cast<const std::byte*>(tensor.raw_data());
}

std::byte* writable_bytes_of(Tensor& tensor) {
  return static_cast<std::byte*>(tensor.mutable_raw_data());
}

std::size_t row_bytes(const Dims& dims, std::size_t element) {
  return static_cast<std::size_t>(BoxCopy::stride(dims, 0)) * element;
}

bool is_padded(const Dims& part, const Dims& whole) {
  return !std::equal(part.begin() + 1, part.end(), whole.begin() + 1, whole.end());
}

}  // namespace

Tensor join_rows(std::span<const Tensor> parts, const Dims& dims, double padding) {
  const DType dtype = parts.front().dtype();
  const bool pads = std::any_of(parts.begin(), parts.end(),
                                [&](const Tensor& part) { return is_padded(part.dims(), dims); });
  Tensor joined = pads ? Tensor::full(dtype, dims, padding) : Tensor::empty(dtype, dims);
  const std::size_t element = size_of(dtype), row = row_bytes(dims, element);
  std::byte* at = writable_bytes_of(joined);
  for (const Tensor& given : parts) {
    const Tensor part = given.host();
    BoxCopy{part.dims(), part.dims(), dims, element}.copy(bytes_of(part), at);
    at += static_cast<std::size_t>(part.dims().front()) * row;
  }
  return joined;
}

Tensor cut_rows(const Tensor& batch, std::int64_t first, const Dims& dims) {
  const Tensor whole = batch.host();
  const std::size_t element = size_of(whole.dtype());
  Tensor cut = Tensor::empty(whole.dtype(), dims);
  const std::size_t skipped = static_cast<std::size_t>(first) * row_bytes(whole.dims(), element);
  BoxCopy{dims, whole.dims(), dims, element}.copy(bytes_of(whole) + skipped,
                                                  writable_bytes_of(cut));
  return cut;
}

}  // namespace mithril
