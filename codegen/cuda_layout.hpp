// How a CUDA kernel (cuda_kernel.hpp) is launched for tensors of any strides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mithril {

// The elements of the results, in the order of their memory, as a nest of loops. The struct Layout
// of codegen/cuda/prelude.cuh is the same.
struct CudaLayout {
  static constexpr std::int64_t most_axes = 8, most_inputs = 16;

  std::int64_t count = 0, axes = 0;
  std::int64_t sizes[most_axes] = {};               // outermost first
  std::int64_t steps[most_inputs][most_axes] = {};  // of each input, in elements
};

// An input, whose sizes are broadcast to those of the results. Strides are in elements.
struct CudaInput {
  std::span<const std::int64_t> sizes, strides;
  const void* data = nullptr;
  std::int64_t element_bytes = 4;
};

struct CudaArrangement {
  CudaLayout layout;
  std::vector<std::int64_t> output_strides;  // of all results, which have no gaps
};

// The results get the order of axes of the first input that has their sizes and no gaps, as with
// channels last; without one they are contiguous. Neighbouring axes are one where all inputs allow
// it. At most CudaLayout::most_axes sizes and CudaLayout::most_inputs inputs.
CudaArrangement arrange(std::span<const std::int64_t> sizes, std::span<const CudaInput> inputs);

// The elements that NAME_lanes of a kernel computes at a time.
inline constexpr std::int64_t cuda_lanes = 4;
// Whether it can: the innermost axis is a multiple of them, and each input is constant along it, or
// has neighbours there and is aligned to as many elements. Results have to be aligned so, too.
bool fits_lanes(const CudaLayout& layout, std::span<const CudaInput> inputs);

struct CudaGrid {
  unsigned blocks = 1, threads = 1;
};
// For so many items, of which a thread computes any number.
CudaGrid cuda_grid(std::int64_t items, int multiprocessors);

}  // namespace mithril
