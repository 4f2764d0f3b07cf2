// How one launch of a CUDA kernel (cuda_batch_kernel) computes many tensors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/cuda/layout.hpp"

namespace mithril {

// A table of tensors, which a kernel takes by value. Each block computes a share of one tensor. The
// struct Batch of codegen/cuda/prelude.cuh is the same.
struct CudaBatch {
  static constexpr std::int64_t most_tensors = 48, most_pointers = 384, elements_of_block = 8192;

  std::int64_t tensors = 0, ports = 0;  // how many pointers a tensor has: inputs, then outputs
  std::int64_t steps[CudaLayout::most_inputs] = {};  // of each input: 1, or 0 for a number
  std::int64_t counts[most_tensors] = {};            // elements
  std::int64_t first_blocks[most_tensors + 1] = {};
  const void* pointers[most_pointers] = {};

  CudaGrid grid() const {
    return {static_cast<unsigned>(first_blocks[tensors]), most_item_threads};
  }
};
static_assert(sizeof(CudaBatch) <= 4096);  // the parameters of a kernel

struct CudaBatchItem {
  std::int64_t count;  // elements
  std::span<const void* const> pointers;
};

// As many batches as are needed, without tensors that have no elements. Each item has the same
// number of pointers; `steps`: of its inputs.
std::vector<CudaBatch> cuda_batches(std::span<const CudaBatchItem> items,
                                    std::span<const std::int64_t> steps);

}  // namespace mithril
