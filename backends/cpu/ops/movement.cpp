#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <numeric>

#include "backends/cpu/descriptors/kernel_call.hpp"
#include "backends/cpu/descriptors/op_spellings.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/axes.hpp"
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

Order order_of(const ShapedGraph& shaped, size_t node, const SpelledExpression& call) {
  const Node& at = shaped.node(node);
  const size_t rank = shaped.dims(at.outputs.front()).size();
  const CallReader reader(shaped, node, call);
  Order order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (call.text == "swapaxes") {
    std::swap(order[axis_of(reader.value(1).integer(), rank)],
              order[axis_of(reader.value(2).integer(), rank)]);
  } else if (reader.value(1).is_none()) {
    std::reverse(order.begin(), order.end());
  } else if (reader.value(1).kind() == kind::tuple) {
    for (size_t i = 0; i < rank; ++i)
      order[i] = axis_of(reader.value(1).tuple()[i].integer(), rank);
  }
  return order;
}

// The axes of the output, outermost first, with their steps in the input, and the first element of
// the input that is read.
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

// Copies elements from a strided input: the last two axes tile by tile, for each index of the
// others.
template <typename T>
class Move final : public Step {
 public:
  Move(const std::vector<Axis>& axes, int64_t start, int threads, BufferRef from, BufferRef to)
      : rows_(axes[axes.size() - 2]),
        columns_(axes.back()),
        start_(start),
        outer_(axes.begin(), axes.end() - 2),
        threads_(threads),
        from_(from),
        to_(to) {
    for (const Axis& axis : outer_) matrices_ *= axis.size;
  }

  void run(const BufferTable& buffers) const override {
    const int64_t size = rows_.size * columns_.size;
    if (size * matrices_ == 0) return;
    const int64_t bands = up(rows_.size, tile);
    const Work work{.amount = size * matrices_, .pieces = matrices_ * bands, .grain_size = 1 << 17};
    run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t matrix = i / bands, row = i % bands * tile;
        const T* from = buffers.read<T>(from_) + start_ + offset(outer_, matrix);
        move_band(from, buffers.write<T>(to_) + matrix * size, row,
                  std::min(row + tile, rows_.size));
      }
    });
  }

 private:
  void move_band(const T* from, T* to, int64_t first, int64_t last) const {
    if (columns_.step == 1) {
      for (int64_t i = first; i < last; ++i) {
        std::copy_n(from + i * rows_.step, columns_.size, to + i * columns_.size);
      }
      return;
    }
    for (int64_t column = 0; column < columns_.size; column += tile) {
      const int64_t end = std::min(column + tile, columns_.size);
      for (int64_t i = first; i < last; ++i) {
        const T* row = from + i * rows_.step;
        for (int64_t j = column; j < end; ++j) to[i * columns_.size + j] = row[j * columns_.step];
      }
    }
  }

  Axis rows_, columns_;
  int64_t start_;
  std::vector<Axis> outer_;
  int64_t matrices_ = 1;
  int threads_;
  BufferRef from_, to_;
};

// Fills the output with zeros, and copies the rows of the input to a slice of it.
template <typename T>
class SliceGradStep final : public Step {
 public:
  SliceGradStep(const Layout& layout, int64_t count, BufferRef from, BufferRef to)
      : rows_(layout.axes), start_(layout.start), count_(count), from_(from), to_(to) {
    columns_ = rows_.back();
    rows_.pop_back();
  }

  void run(const BufferTable& buffers) const override {
    T* const to = buffers.write<T>(to_);
    std::fill_n(to, count_, T{});
    const T* from = buffers.read<T>(from_);
    int64_t rows = 1;
    for (const Axis& axis : rows_) rows *= axis.size;
    for (int64_t row = 0; row < rows; ++row, from += columns_.size) {
      T* const first = to + start_ + offset(rows_, row);
      if (columns_.step == 1) {
        std::copy_n(from, columns_.size, first);
      } else {
        for (int64_t j = 0; j < columns_.size; ++j) first[j * columns_.step] = from[j];
      }
    }
  }

 private:
  std::vector<Axis> rows_;
  Axis columns_;
  int64_t start_, count_;  // in elements of the output: the first of the slice, and all
  BufferRef from_, to_;
};

// Makes the step for the size of an element, in bytes.
template <template <typename> class StepTemplate, class... Arguments>
std::unique_ptr<Step> make_step(size_t element, const Arguments&... arguments) {
  switch (element) {
    case 1:
      return std::make_unique<StepTemplate<uint8_t>>(arguments...);
    case 2:
      return std::make_unique<StepTemplate<uint16_t>>(arguments...);
    case 4:
      return std::make_unique<StepTemplate<uint32_t>>(arguments...);
    default:
      return std::make_unique<StepTemplate<uint64_t>>(arguments...);
  }
}

}  // namespace

std::optional<StepDescriptor> lower_movement(const LoweringContext& context, size_t node,
                                             const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const ValueId from = *tensor_of(shaped.node(node).arguments.front());
  const ValueId to = shaped.node(node).outputs.front();
  const std::optional<Layout> layout =
      call.text == "sliced"
          ? sliced(CallReader(shaped, node, call), 1, shaped.dims(from), shaped.dims(to))
          : permuted(shaped.dims(from), order_of(shaped, node, call));
  if (!layout) return std::nullopt;
  return StepDescriptor{
      .reads = {from},
      .writes = {to},
      .make = [from, to, element = size_of(shaped.dtype(to)), threads = context.config.threads,
               layout = *layout](const BufferRefs& refs, BufferRef) {
        return make_step<Move>(element, merged(layout.axes), layout.start, threads,
                               refs[index(from)], refs[index(to)]);
      }};
}

std::optional<StepDescriptor> lower_slice_grad(const LoweringContext& context, size_t node,
                                               const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, node, call);
  const ValueId from = *reader.tensor(0), to = shaped.node(node).outputs.front();
  std::optional<Layout> layout = sliced(reader, 2, shaped.dims(to), shaped.dims(from));
  if (!layout || shaped.count(from) == 0) return std::nullopt;
  layout->axes = merged(layout->axes);
  return StepDescriptor{
      .reads = {from},
      .writes = {to},
      .make = [from, to, element = size_of(shaped.dtype(to)), count = shaped.count(to),
               layout = *layout](const BufferRefs& refs, BufferRef) {
        return make_step<SliceGradStep>(element, layout, count, refs[index(from)], refs[index(to)]);
      }};
}

std::optional<ValueId> transposed_by(const ShapedGraph& shaped, size_t node) {
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || (call->text != "swapaxes" && call->text != "permuted")) return std::nullopt;
  Order order = order_of(shaped, node, *call);
  if (order.size() < 2) return std::nullopt;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (!std::is_sorted(order.begin(), order.end())) return std::nullopt;
  return *tensor_of(shaped.node(node).arguments.front());
}

}  // namespace mithril::cpu_backend
