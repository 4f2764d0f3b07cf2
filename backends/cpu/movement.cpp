#include "backends/cpu/movement.hpp"

#include <algorithm>
#include <numeric>

#include "backends/cpu/parsed.hpp"
#include "backends/cpu/pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Elements that are worth a thread of their own.
constexpr int64_t worth_a_thread = 1 << 17;
// Rows and columns that are moved at once, so that both sides stay in the first-level cache.
constexpr int64_t tile = 32;

// Per axis of the output the axis of the input.
using Order = std::vector<size_t>;

size_t axis_of(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}

Order order_of(const Sized& sized, size_t node, const SpelledExpression& call) {
  const Node& at = sized.node(node);
  const size_t rank = sized.dims(at.outputs.front()).size();
  const auto value = [&](size_t argument) -> const Datum& {
    return sized.planned(node).values[at.argument_index(call.children[argument].text)];
  };
  Order order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (call.text == "swapaxes") {
    std::swap(order[axis_of(value(1).integer(), rank)], order[axis_of(value(2).integer(), rank)]);
  } else if (value(1).is_none()) {
    std::reverse(order.begin(), order.end());
  } else if (value(1).kind() == kind::tuple) {
    for (size_t i = 0; i < rank; ++i) order[i] = axis_of(value(1).tuple()[i].integer(), rank);
  }
  return order;
}

struct Axis {
  int64_t size, step;  // in elements of the input
};

// Of the output, outermost first, without those of one element.
std::vector<Axis> axes_of(const Dims& input, const Order& order) {
  std::vector<int64_t> steps(input.size());
  int64_t step = 1;
  for (size_t axis = input.size(); axis-- > 0;) {
    steps[axis] = step;
    step *= input[axis];
  }
  std::vector<Axis> axes;
  for (const size_t axis : order) {
    if (input[axis] == 1) continue;
    const Axis next{input[axis], steps[axis]};
    if (!axes.empty() && axes.back().step == next.step * next.size) {
      axes.back() = {axes.back().size * next.size, next.step};
    } else {
      axes.push_back(next);
    }
  }
  while (axes.size() < 2) axes.insert(axes.begin(), {1, 0});
  return axes;
}

// The last two axes are moved tile by tile, for each index of those before.
template <typename T>
class Move final : public Step {
 public:
  Move(std::vector<Axis> axes, int threads, Place from, Place to)
      : rows_(axes[axes.size() - 2]),
        columns_(axes.back()),
        outer_(axes.begin(), axes.end() - 2),
        threads_(threads),
        from_(from),
        to_(to) {
    for (const Axis& axis : outer_) matrices_ *= axis.size;
  }

  void run(const Frame& frame) const override {
    const int64_t size = rows_.size * columns_.size;
    if (size * matrices_ == 0) return;
    const int64_t bands = (rows_.size + tile - 1) / tile, pieces = matrices_ * bands;
    const int64_t parts =
        std::clamp<int64_t>(std::min(size * matrices_ / worth_a_thread, pieces), 1, threads_);
    Pool::shared().run(static_cast<int>(parts), threads_, [&](int part) {
      for (int64_t i = pieces * part / parts; i < pieces * (part + 1) / parts; ++i) {
        const int64_t matrix = i / bands, row = i % bands * tile;
        move_band(frame.read<T>(from_) + offset(matrix), frame.write<T>(to_) + matrix * size, row,
                  std::min(row + tile, rows_.size));
      }
    });
  }

 private:
  int64_t offset(int64_t matrix) const {
    int64_t at = 0;
    for (size_t axis = outer_.size(); axis-- > 0;) {
      at += matrix % outer_[axis].size * outer_[axis].step;
      matrix /= outer_[axis].size;
    }
    return at;
  }

  void move_band(const T* from, T* to, int64_t first, int64_t last) const {
    for (int64_t column = 0; column < columns_.size; column += tile) {
      const int64_t end = std::min(column + tile, columns_.size);
      for (int64_t i = first; i < last; ++i) {
        const T* row = from + i * rows_.step;
        for (int64_t j = column; j < end; ++j) to[i * columns_.size + j] = row[j * columns_.step];
      }
    }
  }

  Axis rows_, columns_;
  std::vector<Axis> outer_;
  int64_t matrices_ = 1;
  int threads_;
  Place from_, to_;
};

// Elements are moved by their size alone.
std::unique_ptr<Step> make_move(size_t element, const std::vector<Axis>& axes, int threads,
                                Place from, Place to) {
  switch (element) {
    case 1:
      return std::make_unique<Move<uint8_t>>(axes, threads, from, to);
    case 2:
      return std::make_unique<Move<uint16_t>>(axes, threads, from, to);
    case 4:
      return std::make_unique<Move<uint32_t>>(axes, threads, from, to);
    default:
      return std::make_unique<Move<uint64_t>>(axes, threads, from, to);
  }
}

}  // namespace

std::optional<Draft> draft_movement(const Context& context, size_t node,
                                    const SpelledExpression& call) {
  const Sized& sized = context.sized;
  const ValueId from = *tensor_of(sized.node(node).arguments.front());
  const ValueId to = sized.node(node).outputs.front();
  return Draft{.reads = {from},
               .writes = {to},
               .make = [from, to, element = size_of(sized.dtype(to)), threads = context.threads,
                        axes = axes_of(sized.dims(from), order_of(sized, node, call))](
                           const Places& places, Place) {
                 return make_move(element, axes, threads, places[index(from)], places[index(to)]);
               }};
}

std::optional<ValueId> transposed_by(const Sized& sized, size_t node) {
  const SpelledExpression* call = kernel_of(*sized.node(node).op);
  if (!call || (call->text != "swapaxes" && call->text != "permuted")) return std::nullopt;
  Order order = order_of(sized, node, *call);
  if (order.size() < 2) return std::nullopt;
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  if (!std::is_sorted(order.begin(), order.end())) return std::nullopt;
  return *tensor_of(sized.node(node).arguments.front());
}

}  // namespace mithril::cpu_backend
