#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <numeric>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/infer/item_range.hpp"

namespace mithril::cpu_backend {
namespace {

// Rows and columns of a tile: the tile of the input and that of the output fit in the first-level
// cache.
constexpr int64_t tile = 32;

// Per axis of the output: the axis of the input.
using Order = std::vector<size_t>;

size_t axis_of(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

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
    for (size_t i = 0; i < rank; ++i) order[i] = axis_of(call.value(1).tuple()[i].integer(), rank);
  }
  return order;
}

// The elements of a tensor that a dense tensor is copied from or to: the axes of the dense tensor,
// outermost first, with their steps, and the first element.
struct Layout {
  std::vector<Axis> axes;
  int64_t start = 0;
};

std::vector<int64_t> steps_of(const Dims& dims) {
  std::vector<int64_t> steps(dims.size());
  int64_t step = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= dims[axis];
  }
  return steps;
}

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
  const std::vector<int64_t> steps = steps_of(input);
  Layout layout;
  for (const size_t axis : order) layout.axes.push_back({input[axis], steps[axis]});
  return layout;
}

// The layout of a slice of the input, from the starts, stops, steps and axes in the arguments from
// `first` on. None if its dims are not those of `output`.
std::optional<Layout> sliced(const CallReader& reader, size_t first, const Dims& input,
                             const Dims& output) {
  const Datum &starts = reader.value(first), &stops = reader.value(first + 1),
              &strides = reader.value(first + 2), &axes = reader.value(first + 3);
  const std::vector<int64_t> steps = steps_of(input);
  Layout layout;
  for (size_t axis = 0; axis < input.size(); ++axis) {
    layout.axes.push_back({input[axis], steps[axis]});
  }
  for (size_t i = 0; i < starts.tuple().size(); ++i) {
    const size_t axis = axes.is_none() ? i : axis_of(axes.tuple()[i].integer(), input.size());
    const Datum step = strides.is_none() ? Datum() : strides.tuple()[i];
    const ItemRange range = range_of({starts.tuple()[i], stops.tuple()[i], step}, input[axis]);
    layout.start += range.start * steps[axis];
    layout.axes[axis] = {range.count, steps[axis] * range.step};
  }
  const bool fits = std::equal(output.begin(), output.end(), layout.axes.begin(), layout.axes.end(),
                               [](int64_t size, const Axis& axis) { return size == axis.size; });
  return fits ? std::optional(layout) : std::nullopt;
}

// Copies elements between a tensor with a layout and a dense tensor: the last two axes tile by
// tile, for each index of the others.
template <typename T>
class Move final : public Step {
 public:
  // `is_gradient`: the output has the layout, and its other elements become 0. Otherwise the input
  // has it. `count`: the elements of the output.
  Move(const Layout& layout, bool is_gradient, int64_t count, int threads, BufferRef from,
       BufferRef to)
      : rows_(layout.axes[layout.axes.size() - 2]),
        columns_(layout.axes.back()),
        start_(layout.start),
        outer_(layout.axes.begin(), layout.axes.end() - 2),
        is_gradient_(is_gradient),
        count_(count),
        threads_(threads),
        from_(from),
        to_(to) {
    for (const Axis& axis : outer_) matrices_ *= axis.size;
  }

  void run(const BufferTable& buffers) const override {
    if (is_gradient_) std::fill_n(buffers.write<T>(to_), count_, T{});
    const int64_t size = rows_.size * columns_.size;
    if (size * matrices_ == 0) return;
    const int64_t bands = up(rows_.size, tile);
    const Work work{.amount = size * matrices_, .pieces = matrices_ * bands, .grain_size = 1 << 17};
    run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t matrix = i / bands, row = i % bands * tile;
        const int64_t begin = matrix * size, strided_begin = start_ + offset(outer_, matrix);
        move_band(buffers.read<T>(from_) + (is_gradient_ ? begin : strided_begin),
                  buffers.write<T>(to_) + (is_gradient_ ? strided_begin : begin), row);
      }
    });
  }

 private:
  void move_band(const T* from, T* to, int64_t first) const {
    const int64_t last = std::min(first + tile, rows_.size), step = columns_.step;
    const int64_t row_step = is_gradient_ ? columns_.size : rows_.step;
    const int64_t to_row_step = is_gradient_ ? rows_.step : columns_.size;
    if (step == 1) {
      for (int64_t i = first; i < last; ++i) {
        std::copy_n(from + i * row_step, columns_.size, to + i * to_row_step);
      }
      return;
    }
    for (int64_t column = 0; column < columns_.size; column += tile) {
      const int64_t end = std::min(column + tile, columns_.size);
      for (int64_t i = first; i < last; ++i) {
        const T* row = from + i * row_step;
        T* row_to = to + i * to_row_step;
        if (is_gradient_) {
#pragma GCC unroll 4
          for (int64_t j = column; j < end; ++j) row_to[j * step] = row[j];
        } else {
#pragma GCC unroll 4
          for (int64_t j = column; j < end; ++j) row_to[j] = row[j * step];
        }
      }
    }
  }

  Axis rows_, columns_;
  int64_t start_;
  std::vector<Axis> outer_;
  bool is_gradient_;
  int64_t count_, matrices_ = 1;
  int threads_;
  BufferRef from_, to_;
};

// Makes the step for the size of an element, in bytes.
template <class... Arguments>
std::unique_ptr<Step> make_move(size_t element, const Arguments&... arguments) {
  switch (element) {
    case 1:
      return std::make_unique<Move<uint8_t>>(arguments...);
    case 2:
      return std::make_unique<Move<uint16_t>>(arguments...);
    case 4:
      return std::make_unique<Move<uint32_t>>(arguments...);
    default:
      return std::make_unique<Move<uint64_t>>(arguments...);
  }
}

}  // namespace

std::optional<StepDescriptor> lower_movement(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId from = *tensor_of(call.node().arguments.front());
  const ValueId to = call.made();
  const bool is_gradient = call.name() == "unsliced";
  const Dims &whole = shaped.dims(is_gradient ? to : from),
             &part = shaped.dims(is_gradient ? from : to);
  std::optional<Layout> layout;
  if (is_gradient || call.name() == "sliced") {
    layout = sliced(call, is_gradient ? 2 : 1, whole, part);
  } else {
    layout = permuted(whole, order_of(call));
  }
  if (!layout) return std::nullopt;
  layout->axes = merged(layout->axes);
  return StepDescriptor{
      .reads = {from},
      .writes = {to},
      .make = [=, layout = *layout, element = size_of(shaped.dtype(to)), count = shaped.count(to),
               threads = call.threads()](const BufferRefs& refs, BufferRef) {
        return make_move(element, layout, is_gradient, count, threads, refs[index(from)],
                         refs[index(to)]);
      }};
}

std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node) {
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || (call->text != "swapaxes" && call->text != "permuted")) return std::nullopt;
  Order order = order_of({shaped, node, *call});
  if (order.size() < 2) return std::nullopt;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (!std::is_sorted(order.begin(), order.end())) return std::nullopt;
  return *tensor_of(shaped.node(node).arguments.front());
}

}  // namespace mithril::cpu_backend
