// argsort of float32: sorts integers that hold an element and its index.
#include <algorithm>
#include <bit>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril::cpu_backend {
namespace {

// In elements.
constexpr int64_t sorting_grain_size = 1 << 12;
// Up to this share of the elements, a heap of the first ones is faster than sorting all.
constexpr int64_t heap_share = 4;

// Integers in the order of the elements; NaN after all numbers, 0 and -0 equal.
uint32_t ordered(float x) {
  if (x != x) return ~0u;
  const auto bits = std::bit_cast<uint32_t>(x + 0.0f);
  return bits >> 31 ? ~bits : bits | 1u << 31;
}

struct ArgSort {
  AxisView around;
  int64_t count;  // of the sorted elements that the output has
  bool descending;
  int threads;
  ValueId input, output;

  int64_t scratch_bytes() const { return threads * row_bytes(); }
  int64_t row_bytes() const { return round_up(around.size * int64_t{sizeof(uint64_t)}, 64); }

  void operator()(const BufferTable& buffers) const {
    const int64_t rows = around.outer * around.inner;
    const Work work{.amount = rows * around.size, .pieces = rows, .grain_size = sorting_grain_size};
    run_ranges(work, threads, [&](int64_t begin, int64_t end, int task) {
      auto* const keys =
          reinterpret_cast<uint64_t*>(buffers.scratch<std::byte>() + task * row_bytes());
      for (int64_t row = begin; row < end; ++row) sort_row(buffers, row, keys);
    });
  }

  void sort_row(const BufferTable& buffers, int64_t row, uint64_t* keys) const {
    const int64_t outer = row / around.inner, i = row % around.inner;
    const float* const x = buffers.read<float>(input) + outer * around.size * around.inner + i;
    if (count <= around.size / heap_share) {
      keep_first(x, keys);
    } else {
      for (int64_t k = 0; k < around.size; ++k) keys[k] = key(x, k);
      std::sort(keys, keys + around.size);
    }
    int64_t* const to = buffers.write<int64_t>(output) + outer * count * around.inner + i;
    for (int64_t k = 0; k < count; ++k) {
      to[k * around.inner] = place(keys[k]);
    }
  }

  // Sorts as the output does.
  uint64_t key(const float* x, int64_t k) const {
    const uint64_t high = ordered(x[k * around.inner]) ^ (descending ? ~0u : 0u);
    return high << 32 | static_cast<uint64_t>(k);
  }
  static int64_t place(uint64_t key) { return static_cast<int64_t>(key & ~uint32_t{0}); }

  // Makes the first `count` keys, in order, with a heap whose top is the last of them.
  void keep_first(const float* x, uint64_t* keys) const {
    for (int64_t k = 0; k < count; ++k) keys[k] = key(x, k);
    std::make_heap(keys, keys + count);
    float last = x[place(keys[0]) * around.inner];
    for (int64_t k = count; k < around.size; ++k) {
      const float element = x[k * around.inner];
      if (descending ? element <= last : element >= last) continue;  // false for NaN
      const uint64_t made = key(x, k);
      if (made > keys[0]) continue;
      std::pop_heap(keys, keys + count);
      keys[count - 1] = made;
      std::push_heap(keys, keys + count);
      last = x[place(keys[0]) * around.inner];
    }
    std::sort_heap(keys, keys + count);
  }
};

}  // namespace

std::optional<StepDescriptor> lower_sorting(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const std::optional<ValueId> from = call.tensor(0);
  const ValueId to = call.made();
  if (!from || shaped.dtype(*from) != DType::float32 || shaped.dtype(to) != DType::int64)
    return std::nullopt;
  const Dims &dims = shaped.dims(*from), &made = shaped.dims(to);
  if (dims.empty() || shaped.count(to) == 0) return std::nullopt;
  const int64_t axis = call.value(1).integer(), count = made[axis_of(axis, made.size())];
  const AxisView around = AxisView::along(dims, axis);
  // `eval` refuses a count that is too large.
  if (count > around.size || around.size > UINT32_MAX) return std::nullopt;
  return StepDescriptor{
      .reads = {*from},
      .writes = {to},
      .step = make_step(ArgSort{around, count, call.value(2).flag(), call.threads(), *from, to})};
}

}  // namespace mithril::cpu_backend
