#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/graph/number_tensor.hpp"
#include "mithril/infer/item_range.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril::cpu_backend {
namespace {

// Rows and columns of a tile: the tile of the input and that of the output fit in the first-level
// cache.
constexpr int64_t tile = 32;

// Per axis of the output: the axis of the input.
using Order = std::vector<size_t>;

Order order_of(const CallReader& call) {
  const size_t rank = call.shaped.dims(call.made()).size();
  Order order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (call.name() == "swapaxes") {
    std::swap(order[axis_of(call.value(1).integer(), rank)],
              order[axis_of(call.value(2).integer(), rank)]);
  } else if (call.value(1).is_none()) {
    std::reverse(order.begin(), order.end());
  } else if (call.value(1).kind() == kind::tuple) {
    order = axis_list(call.value(1), rank);
  }
  return order;
}

// The elements of a tensor that a dense tensor is copied from or to: the axes of the dense tensor,
// outermost first, with their steps, and the first element.
struct Layout {
  std::vector<Axis> axes;
  int64_t start = 0;
};

// Drops axes of one element, and merges adjacent axes where possible. At least two axes remain.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> fewer;
  for (const Axis& axis : axes) {
    if (axis.size == 1) continue;
    if (!fewer.empty() && fewer.back().step == axis.step * axis.size) {
      fewer.back() = {fewer.back().size * axis.size, axis.step};
    } else {
      fewer.push_back(axis);
    }
  }
  while (fewer.size() < 2) fewer.insert(fewer.begin(), {1, 0});
  return fewer;
}

Layout permuted(const Dims& input, const Order& order) {
  const std::vector<Axis> dense = axes_of(input);
  Layout layout;
  for (const size_t axis : order) layout.axes.push_back(dense[axis]);
  return layout;
}

// The layout of a slice of the input, from the starts, stops, steps and axes in the arguments from
// `first` on. None if its dims are not those of `output`.
std::optional<Layout> sliced(const CallReader& reader, size_t first, const Dims& input,
                             const Dims& output) {
  const Datum &starts = reader.value(first), &stops = reader.value(first + 1),
              &strides = reader.value(first + 2), &axes = reader.value(first + 3);
  const std::vector<Axis> dense = axes_of(input);
  Layout layout{.axes = dense};
  for (size_t i = 0; i < starts.tuple().size(); ++i) {
    const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), input.size());
    const Datum step = strides.is_none() ? Datum() : strides.tuple()[i];
    const ItemRange range = range_of({starts.tuple()[i], stops.tuple()[i], step}, input[axis]);
    layout.start += range.start * dense[axis].step;
    layout.axes[axis] = {range.count, dense[axis].step * range.step};
  }
  const bool fits = std::equal(output.begin(), output.end(), layout.axes.begin(), layout.axes.end(),
                               [](int64_t size, const Axis& axis) { return size == axis.size; });
  return fits ? std::optional(layout) : std::nullopt;
}

// The layout of the input of a pad in the output. None for widths that remove elements.
std::optional<Layout> padded(const CallReader& reader, const Dims& input, const Dims& output) {
  Layout layout{.axes = axes_of(output)};
  const Tuple& widths = reader.value(1).tuple();
  for (size_t axis = 0; axis < input.size(); ++axis) {
    const Tuple& ends = widths[axis].tuple();
    const int64_t before = ends[0].integer(), after = ends[1].integer();
    if (before < 0 || after < 0 || before + input[axis] + after != output[axis])
      return std::nullopt;
    layout.start += before * layout.axes[axis].step;
    layout.axes[axis].size = input[axis];
  }
  return layout;
}

// The bits of an element that has the value of the number.
uint64_t bits_of(const Datum& number, DType dtype) {
  const Tensor element = number_tensor(number, dtype).to(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, element.raw_data(), size_of(dtype));
  return bits;
}

// Copies elements between a tensor with a layout and a dense tensor: the last two axes tile by
// tile, for each index of the others.
struct Movement {
  std::vector<Axis> outer;
  Axis rows, columns;
  int64_t start;
  // The output has the layout, and its other elements get the filler. Otherwise the input has it.
  bool fills;
  uint64_t filler;  // the bits of an element
  int64_t count;    // elements of the output
  int threads;
  ValueId input, output;
};

// Copies the rows from `first` on of a band. T is an integer of the size of the elements.
template <typename T>
void move_band(const Movement& m, const T* from, T* to, int64_t first) {
  const int64_t last = std::min(first + tile, m.rows.size), step = m.columns.step;
  const int64_t row_step = m.fills ? m.columns.size : m.rows.step;
  const int64_t to_row_step = m.fills ? m.rows.step : m.columns.size;
  if (step == 1) {
    for (int64_t i = first; i < last; ++i) {
      std::copy_n(from + i * row_step, m.columns.size, to + i * to_row_step);
    }
    return;
  }
  for (int64_t column = 0; column < m.columns.size; column += tile) {
    const int64_t end = std::min(column + tile, m.columns.size);
    for (int64_t i = first; i < last; ++i) {
      const T* row = from + i * row_step;
      T* row_to = to + i * to_row_step;
      if (m.fills) {
#pragma GCC unroll 4
        for (int64_t j = column; j < end; ++j) row_to[j * step] = row[j];
      } else {
#pragma GCC unroll 4
        for (int64_t j = column; j < end; ++j) row_to[j] = row[j * step];
      }
    }
  }
}

template <typename T>
void run_movement(const Movement& m, const BufferTable& buffers) {
  if (m.fills) std::fill_n(buffers.write<T>(m.output), m.count, static_cast<T>(m.filler));
  int64_t matrices = 1;
  for (const Axis& axis : m.outer) matrices *= axis.size;
  const int64_t size = m.rows.size * m.columns.size, bands = up(m.rows.size, tile);
  if (size * matrices == 0) return;
  const Work work{.amount = size * matrices, .pieces = matrices * bands, .grain_size = 1 << 17};
  run_ranges(work, m.threads, [&](int64_t first, int64_t last, int) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t matrix = i / bands, row = i % bands * tile;
      const int64_t begin = matrix * size, strided_begin = m.start + offset(m.outer, matrix);
      move_band(m, buffers.read<T>(m.input) + (m.fills ? begin : strided_begin),
                buffers.write<T>(m.output) + (m.fills ? strided_begin : begin), row);
    }
  });
}

// `element`: the size of an element in bytes.
auto movement_of(size_t element) {
  if (element == 1) return run_movement<uint8_t>;
  if (element == 2) return run_movement<uint16_t>;
  return element == 4 ? run_movement<uint32_t> : run_movement<uint64_t>;
}

}  // namespace

std::optional<StepDescriptor> lower_movement(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId from = *tensor_of(call.node().arguments.front());
  const ValueId to = call.made();
  const bool pads = call.name() == "pad", fills = pads || call.name() == "slice_grad";
  const Dims &whole = shaped.dims(fills ? to : from), &part = shaped.dims(fills ? from : to);
  std::optional<Layout> layout;
  if (pads) {
    layout = padded(call, part, whole);
  } else if (fills || call.name() == "slice") {
    layout = sliced(call, fills ? 2 : 1, whole, part);
  } else {
    layout = permuted(whole, order_of(call));
  }
  if (!layout) return std::nullopt;
  const std::vector<Axis> axes = merged(layout->axes);
  std::optional<StridedView> copies;
  if (call.name() == "slice") copies = {from, layout->axes, layout->start};
  const Movement movement{.outer = {axes.begin(), axes.end() - 2},
                          .rows = axes[axes.size() - 2],
                          .columns = axes.back(),
                          .start = layout->start,
                          .fills = fills,
                          .filler = pads ? bits_of(call.value(2), shaped.dtype(to)) : 0,
                          .count = shaped.count(to),
                          .threads = call.threads(),
                          .input = from,
                          .output = to};
  return StepDescriptor{
      .reads = {from},
      .writes = {to},
      .step = make_step([=, run = movement_of(size_of(shaped.dtype(to)))](
                            const BufferTable& buffers) { run(movement, buffers); }),
      .copies = std::move(copies)};
}

bool is_whole_slice(const ShapedGraph& shaped, size_t node) {
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || call->text != "slice") return false;
  const Dims& input = shaped.dims(*tensor_of(shaped.node(node).arguments.front()));
  const auto layout =
      sliced({shaped, node, *call}, 1, input, shaped.dims(shaped.node(node).outputs.front()));
  const std::vector<Axis> dense = axes_of(input);
  return layout && layout->start == 0 &&
         std::equal(dense.begin(), dense.end(), layout->axes.begin(), layout->axes.end(),
                    [](const Axis& a, const Axis& b) {
                      return a.size == b.size && (a.size <= 1 || a.step == b.step);
                    });
}

std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node) {
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || (call->text != "swapaxes" && call->text != "permute")) return std::nullopt;
  Order order = order_of({shaped, node, *call});
  if (order.size() < 2) return std::nullopt;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (!std::is_sorted(order.begin(), order.end())) return std::nullopt;
  return *tensor_of(shaped.node(node).arguments.front());
}

}  // namespace mithril::cpu_backend
