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

// The results get the axis order of the first dense input of the same sizes, such as channels last.
// If there is none, they are row-major. Neighbouring axes are merged where all inputs allow it.
// At most CudaLayout::most_axes sizes and CudaLayout::most_inputs inputs.
CudaArrangement arrange(std::span<const std::int64_t> sizes, std::span<const CudaInput> inputs);

// For kernels that reduce rows: the last axis stays apart and innermost, and the results are
// row-major. At least one axis.
CudaArrangement arrange_rows(std::span<const std::int64_t> sizes,
                             std::span<const CudaInput> inputs);

// The elements that NAME_lanes of a kernel computes at a time.
inline constexpr std::int64_t cuda_lanes = 4;
// Whether a kernel may access `cuda_lanes` elements at a time: the size of the innermost axis is a
// multiple of it, and each input is either constant along that axis, or contiguous and aligned to
// as many elements. The caller aligns the results in the same way.
bool fits_lanes(const CudaLayout& layout, std::span<const CudaInput> inputs);

// The most threads of a block: of kernels that compute items, and of those that reduce rows. A
// kernel states its number as __launch_bounds__, so that the compiler gives each thread few enough
// registers for a block of this size.
inline constexpr std::int64_t most_item_threads = 256, most_row_threads = 512;

struct CudaGrid {
  unsigned blocks = 1, threads = 1;
  unsigned rows = 1;  // the threads of a block along y; `threads`: along x
};
// The grid for a kernel whose threads loop over `items` (a grid-stride loop).
CudaGrid cuda_grid(std::int64_t items, int multiprocessors);
// The grid for rows of `items` each: a warp computes a short row, and a block a longer one.
CudaGrid cuda_row_grid(std::int64_t rows, std::int64_t items, int multiprocessors);

}  // namespace mithril
