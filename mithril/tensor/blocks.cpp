#include "mithril/tensor/blocks.hpp"

#include <cstring>
#include <utility>

namespace mithril {
namespace {

// The bytes of a whole tensor before each step along the axes up to `axis`, and those of a block.
struct BlockBytes {
  std::size_t rows = 1, row, part;
  BlockBytes(const Dims& dims, std::size_t axis, std::int64_t blocks, std::size_t element) {
    for (std::size_t i = 0; i < axis; ++i) rows *= static_cast<std::size_t>(dims[i]);
    row = element;
    for (std::size_t i = axis; i < dims.size(); ++i) row *= static_cast<std::size_t>(dims[i]);
    part = row / static_cast<std::size_t>(blocks);
  }
};

}  // namespace

Dims block_dims(Dims dims, const TensorBlock& block) {
  dims[block.axis] /= block.size;
  return dims;
}

Dims whole_dims(Dims dims, const TensorBlock& block) {
  dims[block.axis] *= block.size;
  return dims;
}

Tensor cut_block(const Tensor& whole, const TensorBlock& block) {
  Tensor part(whole.dtype(), block_dims(whole.dims(), block));
  if (part.bytes() == 0) return part;
  const BlockBytes bytes(whole.dims(), block.axis, block.size, size_of(whole.dtype()));
  const auto* from = static_cast<const std::byte*>(whole.raw_data()) +
                     bytes.part * static_cast<std::size_t>(block.rank);
  auto* to = static_cast<std::byte*>(part.mutable_raw_data());
  for (std::size_t i = 0; i < bytes.rows; ++i)
    std::memcpy(to + i * bytes.part, from + i * bytes.row, bytes.part);
  return part;
}

Tensor join_blocks(const std::vector<Tensor>& blocks, std::size_t axis) {
  Dims dims = blocks.front().dims();
  dims[axis] *= static_cast<std::int64_t>(blocks.size());
  Tensor whole(blocks.front().dtype(), std::move(dims));
  if (whole.bytes() == 0) return whole;
  const BlockBytes bytes(whole.dims(), axis, static_cast<std::int64_t>(blocks.size()),
                         size_of(whole.dtype()));
  auto* to = static_cast<std::byte*>(whole.mutable_raw_data());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto* from = static_cast<const std::byte*>(blocks[k].raw_data());
    for (std::size_t i = 0; i < bytes.rows; ++i)
      std::memcpy(to + i * bytes.row + k * bytes.part, from + i * bytes.part, bytes.part);
  }
  return whole;
}

}  // namespace mithril
