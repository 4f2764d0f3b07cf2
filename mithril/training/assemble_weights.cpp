#include "mithril/training/assemble_weights.hpp"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

namespace mithril {
namespace {

void copy_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

template <typename T>
void exchange_last_axes(const Tensor& tensor, Tensor& made) {
  const std::int64_t rows = made.dims().back(), columns = tensor.dims().back();
  const T* from = static_cast<const T*>(tensor.raw_data());
  T* to = static_cast<T*>(made.mutable_raw_data());
  for (std::int64_t at = 0; at < tensor.size(); at += rows * columns) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) to[at + c * rows + r] = from[at + r * columns + c];
    }
  }
}

Tensor with_last_axes_exchanged(const Tensor& tensor) {
  if (tensor.rank() < 2) throw RuleMismatch{"has no two axes to transpose"};
  Dims dims = tensor.dims();
  std::swap(dims[dims.size() - 2], dims.back());
  Tensor made = Tensor::empty(tensor.dtype(), dims);
  if (is_low_bit(tensor.dtype())) {
    exchange_last_axes<std::byte>(tensor, made);
  } else {
    visit_dtype(tensor.dtype(),
                [&](auto zero) { exchange_last_axes<decltype(zero)>(tensor, made); });
  }
  return made;
}

std::size_t axis_in(const WeightSource& source, const Tensor& tensor) {
  const std::int64_t axis = source.axis < 0 ? source.axis + tensor.rank() : source.axis;
  if (axis < 0 || axis >= tensor.rank()) {
    throw RuleMismatch{fmt::format("has no axis {}", source.axis)};
  }
  return static_cast<std::size_t>(axis);
}

// The numbers of blocks before the axis, and of bytes of one index of it.
std::size_t outer_size(const Tensor& tensor, std::size_t axis) {
  const auto begin = tensor.dims().begin();
  return static_cast<std::size_t>(std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(axis),
                                                  std::int64_t{1}, std::multiplies<>()));
}
std::size_t inner_bytes(const Tensor& tensor, std::size_t axis) {
  const auto begin = tensor.dims().begin() + static_cast<std::ptrdiff_t>(axis) + 1;
  return static_cast<std::size_t>(
             std::accumulate(begin, tensor.dims().end(), std::int64_t{1}, std::multiplies<>())) *
         size_of(tensor.dtype());
}

Tensor joined(const WeightSource& source, const std::vector<Tensor>& tensors) {
  const Tensor& first = tensors.front();
  const std::size_t axis = axis_in(source, first);
  Dims dims = first.dims();
  dims[axis] = 0;
  for (const Tensor& tensor : tensors) {
    Dims other = tensor.dims();
    if (other.size() == dims.size()) {
      dims[axis] += other[axis];
      other[axis] = dims[axis];
    }
    if (other != dims || tensor.dtype() != first.dtype()) {
      throw RuleMismatch{fmt::format("cannot be joined with {} along axis {}",
                                     dtype_and_dims(tensor), source.axis)};
    }
  }
  Tensor made = Tensor::empty(first.dtype(), dims);
  auto* to = static_cast<std::byte*>(made.mutable_raw_data());
  const std::size_t inner = inner_bytes(first, axis);
  for (std::size_t o = 0; o < outer_size(first, axis); ++o) {
    for (const Tensor& tensor : tensors) {
      const std::size_t bytes = static_cast<std::size_t>(tensor.dims()[axis]) * inner;
      copy_block(to, static_cast<const std::byte*>(tensor.raw_data()) + o * bytes, bytes);
      to += bytes;
    }
  }
  return made;
}

Tensor part_of(const WeightSource& source, const Tensor& tensor) {
  const std::size_t axis = axis_in(source, tensor);
  Dims dims = tensor.dims();
  if (source.parts < 1 || source.part < 0 || source.part >= source.parts ||
      dims[axis] % source.parts != 0) {
    throw RuleMismatch{fmt::format("has no part {} of {} equal ones along axis {}", source.part,
                                   source.parts, source.axis)};
  }
  dims[axis] /= source.parts;
  Tensor made = Tensor::empty(tensor.dtype(), dims);
  const std::size_t bytes = static_cast<std::size_t>(dims[axis]) * inner_bytes(tensor, axis);
  const auto parts = static_cast<std::size_t>(source.parts);
  const auto part = static_cast<std::size_t>(source.part);
  for (std::size_t o = 0; o < outer_size(tensor, axis); ++o) {
    copy_block(static_cast<std::byte*>(made.mutable_raw_data()) + o * bytes,
               static_cast<const std::byte*>(tensor.raw_data()) + (o * parts + part) * bytes,
               bytes);
  }
  return made;
}

}  // namespace

bool changes_elements(const WeightSource& source) {
  return source.transpose || source.names.size() > 1 || source.parts != 1;
}

Tensor assembled(const WeightSource& source, std::vector<Tensor> tensors) {
  if (!changes_elements(source)) return tensors.front();
  for (Tensor& tensor : tensors) {
    tensor = tensor.host();
    if (source.transpose) tensor = with_last_axes_exchanged(tensor);
  }
  const Tensor whole = tensors.size() > 1 ? joined(source, tensors) : tensors.front();
  return source.parts == 1 ? whole : part_of(source, whole);
}

}  // namespace mithril
