#include "codegen/cuda/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

using Extents = std::span<const std::int64_t>;
using Axes = std::vector<std::size_t>;  // outermost first

Axes row_major(std::size_t rank) {
  Axes order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The order of the axes in memory. None if the input has other sizes or gaps.
std::optional<Axes> dense_order(const CudaInput& input, Extents sizes) {
  if (!std::equal(input.sizes.begin(), input.sizes.end(), sizes.begin(), sizes.end()))
    return std::nullopt;
  Axes order = row_major(sizes.size());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return input.strides[a] > input.strides[b];
  });
  std::int64_t step = 1;
  for (std::size_t at = order.size(); at-- > 0;) {
    const std::size_t axis = order[at];
    if (sizes[axis] != 1 && input.strides[axis] != step) return std::nullopt;
    step *= sizes[axis];
  }
  return order;
}

Axes order_of(Extents sizes, std::span<const CudaInput> inputs) {
  for (const CudaInput& input : inputs) {
    if (auto order = dense_order(input, sizes)) return *std::move(order);
  }
  return row_major(sizes.size());
}

// The step of a broadcast input along an axis of the results.
std::int64_t step_of(const CudaInput& input, std::size_t axis, std::size_t rank) {
  const std::size_t missing = rank - input.sizes.size();
  if (axis < missing || input.sizes[axis - missing] == 1) return 0;
  return input.strides[axis - missing];
}

// `rows`: the last axis is not merged.
CudaArrangement arranged(Extents sizes, std::span<const CudaInput> inputs, const Axes& order,
                         bool rows) {
  MITHRIL_CHECK(sizes.size() <= static_cast<std::size_t>(CudaLayout::most_axes) &&
                    inputs.size() <= static_cast<std::size_t>(CudaLayout::most_inputs),
                "a CUDA kernel has too many axes or inputs");
  CudaArrangement made;
  CudaLayout& layout = made.layout;
  layout.count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  made.output_strides.assign(sizes.size(), 1);
  std::int64_t stride = 1;
  for (std::size_t at = order.size(); at-- > 0;
       stride *= std::max<std::int64_t>(sizes[order[at]], 1))
    made.output_strides[order[at]] = stride;
  const auto merges = [&](std::int64_t size, std::size_t axis) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::int64_t outer = layout.steps[i][layout.axes - 1];
      if (outer != step_of(inputs[i], axis, sizes.size()) * size) return false;
    }
    return true;
  };
  for (const std::size_t axis : order) {
    const bool is_row = rows && axis + 1 == sizes.size();
    if (sizes[axis] == 1 && !is_row) continue;
    if (layout.axes > 0 && !is_row && merges(sizes[axis], axis))
      layout.sizes[layout.axes - 1] *= sizes[axis];
    else
      layout.sizes[layout.axes++] = sizes[axis];
    for (std::size_t i = 0; i < inputs.size(); ++i)
      layout.steps[i][layout.axes - 1] = step_of(inputs[i], axis, sizes.size());
  }
  if (layout.axes == 0) layout.sizes[layout.axes++] = 1;
  return made;
}

}  // namespace

CudaArrangement arrange(Extents sizes, std::span<const CudaInput> inputs) {
  return arranged(sizes, inputs, order_of(sizes, inputs), false);
}

CudaArrangement arrange_rows(Extents sizes, std::span<const CudaInput> inputs) {
  MITHRIL_CHECK(!sizes.empty(), "a CUDA kernel reduces rows of a number");
  return arranged(sizes, inputs, row_major(sizes.size()), true);
}

bool fits_lanes(const CudaLayout& layout, std::span<const CudaInput> inputs) {
  const std::int64_t inner = layout.axes - 1;
  if (layout.sizes[inner] % cuda_lanes != 0) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t* steps = layout.steps[i];
    if (steps[inner] == 0) continue;
    const auto whole = static_cast<std::uintptr_t>(cuda_lanes * inputs[i].element_bytes);
    const bool fits =
        steps[inner] == 1 && reinterpret_cast<std::uintptr_t>(inputs[i].data) % whole == 0 &&
        std::all_of(steps, steps + inner, [](std::int64_t step) { return step % cuda_lanes == 0; });
    if (!fits) return false;
  }
  return true;
}

// Eight blocks of 256 threads fill a multiprocessor. More blocks would not run at the same time.
CudaGrid cuda_grid(std::int64_t items, int multiprocessors) {
  constexpr std::int64_t warp = 32, blocks_each = 8;
  const std::int64_t threads =
      std::clamp((items + warp - 1) / warp * warp, warp, most_item_threads);
  const std::int64_t most = std::max(multiprocessors, 1) * blocks_each;
  const std::int64_t blocks = std::clamp<std::int64_t>((items + threads - 1) / threads, 1, most);
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(threads)};
}

// A warp takes at most four items in each thread, and a block as many threads as that needs.
CudaGrid cuda_row_grid(std::int64_t rows, std::int64_t items, int multiprocessors) {
  constexpr std::int64_t warp = 32, items_each = 4, rows_of_block = 8;
  constexpr std::int64_t threads_of_multiprocessor = 2048;
  constexpr std::int64_t items_of_warp = warp * items_each;
  const bool is_short = items <= items_of_warp;
  const std::int64_t needed = (items + items_of_warp - 1) / items_of_warp * warp;
  CudaGrid grid{
      .threads = static_cast<unsigned>(is_short ? warp : std::min(needed, most_row_threads)),
      .rows = static_cast<unsigned>(is_short ? rows_of_block : 1)};
  const std::int64_t most = std::max(multiprocessors, 1) * threads_of_multiprocessor /
                            (std::int64_t{grid.threads} * grid.rows);
  grid.blocks =
      static_cast<unsigned>(std::clamp<std::int64_t>((rows + grid.rows - 1) / grid.rows, 1, most));
  return grid;
}

}  // namespace mithril
