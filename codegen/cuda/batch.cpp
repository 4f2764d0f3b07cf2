#include "codegen/cuda/batch.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"

namespace mithril {

std::vector<CudaBatch> cuda_batches(std::span<const CudaBatchItem> items,
                                    std::span<const std::int64_t> steps) {
  std::vector<CudaBatch> batches;
  for (const CudaBatchItem& item : items) {
    const auto ports = static_cast<std::int64_t>(item.pointers.size());
    MITHRIL_CHECK(ports <= CudaBatch::most_pointers && steps.size() <= CudaLayout::most_inputs,
                  "a batch of a CUDA kernel has too many tensors");
    if (item.count == 0) continue;
    if (batches.empty() || batches.back().tensors == CudaBatch::most_tensors ||
        (batches.back().tensors + 1) * ports > CudaBatch::most_pointers) {
      batches.push_back({.ports = ports});
      std::copy(steps.begin(), steps.end(), batches.back().steps);
    }
    CudaBatch& batch = batches.back();
    const std::int64_t at = batch.tensors++;
    batch.counts[at] = item.count;
    batch.first_blocks[at + 1] =
        batch.first_blocks[at] +
        (item.count + CudaBatch::elements_of_block - 1) / CudaBatch::elements_of_block;
    std::copy(item.pointers.begin(), item.pointers.end(), batch.pointers + at * ports);
  }
  return batches;
}

}  // namespace mithril
