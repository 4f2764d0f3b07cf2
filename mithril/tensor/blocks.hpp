// Equal parts of tensors along an axis, for processes that share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mithril/tensor/tensor.hpp"

namespace mithril {

// The part of one process, of `size` processes. `axis`: its size is a multiple of `size`.
struct TensorBlock {
  std::size_t axis = 0;
  std::int64_t rank = 0, size = 1;
  bool operator==(const TensorBlock&) const = default;
};

// The dims of a block of a tensor with these dims.
Dims block_dims(Dims dims, const TensorBlock& block);
// The dims of a tensor whose blocks have these dims.
Dims whole_dims(Dims dims, const TensorBlock& block);
// A copy of the block of a tensor of the CPU.
Tensor cut_block(const Tensor& whole, const TensorBlock& block);
// The tensor of which `blocks` are all blocks, by rank.
Tensor join_blocks(const std::vector<Tensor>& blocks, std::size_t axis);

}  // namespace mithril
