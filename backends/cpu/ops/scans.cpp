// Steps that run along an axis: linear recurrences, cumulative sums and products.
#include <algorithm>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril::cpu_backend {
namespace {

// Columns whose states stay in the first-level cache.
constexpr int64_t columns_scanned_at_once = 512;
// In elements.
constexpr int64_t scan_grain_size = 1 << 15;
// With fewer columns `eval` is as fast.
constexpr int64_t fewest_columns = 4;

template <typename T>
struct ScanStep {
  AxisView around;
  bool reverse, exclusive;
  ScanKernel<T> first, then;  // of the first row, and of the others
  double start;               // the state before the first row
  int threads;
  ValueId input;
  std::optional<ValueId> decay;
  ValueId output;

  void operator()(const BufferTable& buffers) const {
    const int64_t strips = up(around.inner, columns_scanned_at_once);
    const Work work{.amount = around.outer * around.size * around.inner,
                    .pieces = around.outer * strips,
                    .grain_size = scan_grain_size};
    run_ranges(work, threads, [&](int64_t begin, int64_t end, int) {
      for (int64_t piece = begin; piece < end; ++piece) {
        scan_strip(buffers, piece / strips, piece % strips * columns_scanned_at_once);
      }
    });
  }

  void scan_strip(const BufferTable& buffers, int64_t outer, int64_t column) const {
    const int64_t count = std::min(columns_scanned_at_once, around.inner - column);
    const int64_t step = reverse ? -around.inner : around.inner;
    const T* const x = buffers.read<T>(input);
    const T* const decays = buffers.read<T>(decay);
    T* const to = buffers.write<T>(output);
    double states[columns_scanned_at_once];
    std::fill_n(states, count, start);
    int64_t at = outer * around.size * around.inner + column;
    if (reverse) at += (around.size - 1) * around.inner;
    for (int64_t k = 0; k < around.size; ++k, at += step) {
      (k == 0 ? first : then)(x + at, decays ? decays + at : nullptr, states, to + at, count,
                              exclusive, step);
    }
  }
};

}  // namespace

std::optional<StepDescriptor> lower_scan(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const std::string& name = call.name();
  const bool decays = name == "linear_scan";
  const size_t axis = decays ? 2 : 1;
  const ValueId to = call.made();
  std::vector<ValueId> reads;
  for (size_t i = 0; i < axis; ++i) {
    const std::optional<ValueId> source = call.tensor(i);
    if (!source || shaped.dtype(*source) != shaped.dtype(to)) return std::nullopt;
    reads.push_back(*source);
  }
  if (shaped.dims(to).empty()) return std::nullopt;
  const AxisView around = AxisView::along(shaped.dims(to), call.value(axis).integer());
  if (around.inner < fewest_columns) return std::nullopt;
  return lower_floats(shaped.dtype(to), [&]<typename T>(T) {
    const ScanKernels<T>& kernels = scan_kernels<T>();
    const ScanKernel<T> then = decays             ? kernels.recurrence
                               : name == "cumsum" ? kernels.sum
                                                  : kernels.product;
    StepDescriptor descriptor{.reads = reads, .writes = {to}};
    for (const ValueId read : reads) descriptor.in_place_pairs.push_back({to, read});
    descriptor.step = make_step(
        ScanStep<T>{.around = around,
                    .reverse = call.value(axis + 1).flag(),
                    .exclusive = call.size() > axis + 2 && call.value(axis + 2).flag(),
                    .first = decays ? kernels.sum : then,  // a decay of infinity times 0 is NaN
                    .then = then,
                    .start = name == "cumprod" ? 1.0 : 0.0,
                    .threads = call.threads(),
                    .input = reads.front(),
                    .decay = decays ? std::optional(reads.back()) : std::nullopt,
                    .output = to});
    return descriptor;
  });
}

}  // namespace mithril::cpu_backend
