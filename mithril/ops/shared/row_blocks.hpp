// A tensor that holds some rows of a larger one.
#pragma once
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>

namespace mithril {

// A tensor of shape `dims`, which holds the indices of `axis` from `first` on of a tensor with
// `total` of them.
class RowBlocks {
 public:
  RowBlocks(std::span<const int64_t> dims, size_t axis, int64_t first, int64_t total) {
    const int64_t of_row = std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                                           dims.end(), int64_t{1}, std::multiplies<>());
    block_ = dims[axis] * of_row;
    gap_ = (total - dims[axis]) * of_row;
    first_ = first * of_row;
  }

  // The index in the larger tensor of element i, which must exist.
  int64_t index_in_whole(int64_t i) const { return first_ + i + i / block_ * gap_; }

 private:
  int64_t block_;  // elements that are contiguous in both tensors
  int64_t gap_;    // elements between two blocks in the larger tensor
  int64_t first_;  // the index in the larger tensor of the first element
};

}  // namespace mithril
