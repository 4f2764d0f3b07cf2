#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/row_kernels.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril::cpu_backend {
namespace {

// A reduction to one element is split into pieces of at least this many elements, which several
// threads sum.
constexpr int64_t elements_of_a_piece = 1 << 16;
// In elements.
constexpr int64_t reduction_grain_size = 1 << 15;
// The totals that a task keeps while it reads rows.
constexpr int64_t columns_summed_at_once = 512;

struct ReducedAxes {
  // All axes but the innermost one, whose elements are contiguous.
  std::vector<Axis> kept, reduced;
  int64_t inner = 1;
  bool inner_reduced = true;
  // For a kept inner axis of channel blocks: the channels, without those that pad the last block.
  std::optional<int64_t> channels = {};

  static int64_t count(const std::vector<Axis>& axes) {
    int64_t product = 1;
    for (const Axis& axis : axes) product *= axis.size;
    return product;
  }
};

template <typename T>
class ReductionStep final : public PartitionedStep {
 public:
  ReductionStep(ReducedAxes reduction, const ReductionKernel<T>& kernel, double divisor,
                int threads, ValueId from, ValueId to)
      : r_(std::move(reduction)),
        kernel_(kernel),
        divisor_(divisor),
        threads_(threads),
        from_(from),
        to_(to),
        kept_(ReducedAxes::count(r_.kept)),
        reduced_(ReducedAxes::count(r_.reduced)) {}

  void run(const BufferTable& buffers) const override {
    const T* x = buffers.read<T>(from_);
    T* to = buffers.write<T>(to_);
    const Direction direction = buffers.direction();
    if (!r_.inner_reduced) return run_columns(x, to, direction);
    if (kept_ == 1 && reduced_ == 1) return run_alone(x, to, direction);
    in_parts(kept_, direction, [&](int64_t i) { run_row(x, to, i); });
  }

  // Requires that the innermost axis is the only reduced one: see row_partitions.
  void run_parts(const BufferTable& buffers, const PartRange& parts) const override {
    const T* x = buffers.read<T>(from_);
    T* to = buffers.write<T>(to_);
    iterate(buffers.direction(), parts.begin(kept_), parts.end(kept_),
            [&](int64_t i) { run_row(x, to, i); });
  }

 private:
  void run_row(const T* x, T* to, int64_t i) const {
    const T* row = x + offset(r_.kept, i);
    double total = kernel_.start;
    for (int64_t j = 0; j < reduced_; ++j) {
      total = kernel_.both(total, kernel_.row(row + offset(r_.reduced, j), r_.inner));
    }
    to[i] = finished(total);
  }

  T finished(double total) const { return static_cast<T>(total / divisor_); }

  // Calls body(i) for each i below `pieces`, in several threads.
  template <typename Body>
  void in_parts(int64_t pieces, Direction direction, const Body& body) const {
    const Work work{.amount = kept_ * reduced_ * r_.inner,
                    .pieces = pieces,
                    .grain_size = reduction_grain_size};
    run_ranges(work, threads_,
               [&](int64_t first, int64_t last, int) { iterate(direction, first, last, body); });
  }

  // The innermost axis is kept: adds each row to a row of totals.
  void run_columns(const T* x, T* to, Direction direction) const {
    const int64_t pieces = up(r_.inner, columns_summed_at_once);
    const int64_t channels = r_.channels.value_or(r_.inner), blocks = up(channels, r_.inner);
    in_parts(kept_ * pieces, direction, [&](int64_t piece) {
      const int64_t i = piece / pieces, first = piece % pieces * columns_summed_at_once;
      const int64_t channel = i % blocks * r_.inner + first;
      const int64_t count =
          std::min({columns_summed_at_once, r_.inner - first, channels - channel});
      const T* columns = x + offset(r_.kept, i) + first;
      double totals[columns_summed_at_once];
      std::fill_n(totals, count, kernel_.start);
      for (int64_t j = 0; j < reduced_; ++j) {
        kernel_.rows(columns + offset(r_.reduced, j), totals, count);
      }
      std::transform(totals, totals + count, to + i / blocks * channels + channel,
                     [&](double total) { return finished(total); });
    });
  }

  // Reduces one row, in pieces that depend only on its size.
  void run_alone(const T* x, T* to, Direction direction) const {
    constexpr int64_t most_pieces = 64;
    const int64_t pieces = std::clamp<int64_t>(r_.inner / elements_of_a_piece, 1, most_pieces);
    double totals[most_pieces];
    in_parts(pieces, direction, [&](int64_t i) {
      const Range piece = Range{0, r_.inner}.part(i, pieces);
      totals[i] = kernel_.row(x + piece.first, piece.size());
    });
    double total = kernel_.start;
    for (int64_t i = 0; i < pieces; ++i) total = kernel_.both(total, totals[i]);
    *to = finished(total);
  }

  ReducedAxes r_;
  const ReductionKernel<T>& kernel_;
  double divisor_;
  int threads_;
  ValueId from_, to_;
  int64_t kept_, reduced_;
};

// Per axis of `from`: `to` is broadcast along it.
std::vector<bool> broadcast_along(const Dims& from, const Dims& to) {
  std::vector<bool> reduced(from.size(), true);
  for (size_t back = 1; back <= to.size(); ++back) {
    reduced[from.size() - back] = to[to.size() - back] == 1;
  }
  return reduced;
}

// Merges adjacent axes that are both kept or both reduced.
ReducedAxes reduction_of(const Dims& dims, const std::vector<bool>& is_reduced) {
  std::vector<std::pair<Axis, bool>> merged;  // outermost first; whether it is reduced
  const std::vector<Axis> axes = axes_of(dims);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto [size, step] = axes[i];
    if (size == 1) continue;
    if (!merged.empty() && merged.back().second == is_reduced[i]) {
      merged.back().first = {merged.back().first.size * size, step};
    } else {
      merged.push_back({axes[i], is_reduced[i]});
    }
  }
  if (merged.empty()) return {};
  ReducedAxes reduction{.inner = merged.back().first.size, .inner_reduced = merged.back().second};
  merged.pop_back();
  for (const auto& [axis, reduces] : merged) {
    (reduces ? reduction.reduced : reduction.kept).push_back(axis);
  }
  return reduction;
}

template <typename T>
StepDescriptor reduction_descriptor(const LoweringContext& context, const ReducedAxes& reduction,
                                    std::string_view operation, ValueId from, ValueId to) {
  const ReductionKernels<T>& kernels = reduction_kernels<T>();
  const ReductionKernel<T>& kernel = operation == "max"   ? kernels.max
                                     : operation == "min" ? kernels.min
                                                          : kernels.sum;
  const double divisor = operation == "mean" ? static_cast<double>(context.shaped.count(from)) /
                                                   static_cast<double>(context.shaped.count(to))
                                             : 1;
  const int64_t kept = ReducedAxes::count(reduction.kept);
  const bool in_rows = reduction.inner_reduced && reduction.reduced.empty() && kept > 1;
  return {.reads = {from},
          .writes = {to},
          .row_partitions = in_rows ? std::vector<RowPartition>{{from, kept}, {to, kept}}
                                    : std::vector<RowPartition>{},
          .useful_threads = static_cast<double>(context.shaped.count(from)) / reduction_grain_size,
          .step = std::make_unique<ReductionStep<T>>(reduction, kernel, divisor,
                                                     context.config.threads, from, to)};
}

}  // namespace

std::optional<StepDescriptor> lower_reduction(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  if (!call.tensor(0)) return std::nullopt;
  const ValueId from = *call.tensor(0), to = call.made();
  const DType dtype = shaped.dtype(to);
  if (shaped.dtype(from) != dtype || shaped.count(from) == 0) return std::nullopt;
  const Dims& dims = shaped.dims(from);
  ReducedAxes reduction;
  if (shaped.is_in_blocks(from)) {  // see reduces_planes
    reduction = reduction_of(dims_in_blocks(dims, shaped.channels_of_block()),
                             {false, false, true, true, false});
    reduction.channels = dims[1];
  } else {
    reduction = reduction_of(dims, call.name() == "sum_to" ? broadcast_along(dims, shaped.dims(to))
                                                           : axis_set(call.value(1), dims.size()));
  }
  return lower_floats(dtype, [&]<typename T>(T) {
    return reduction_descriptor<T>(call.context, reduction, call.name(), from, to);
  });
}

bool reduces_planes(const CallReader& call) {
  constexpr std::array<std::string_view, 4> operations = {"sum", "mean", "max", "min"};
  if (std::find(operations.begin(), operations.end(), call.name()) == operations.end())
    return false;
  const ShapedGraph& shaped = call.shaped;
  return call.tensor(0) && shaped.dims(*call.tensor(0)).size() == 4 &&
         shaped.dtype(*call.tensor(0)) == DType::float32 &&
         shaped.dtype(call.made()) == DType::float32 &&
         axis_set(call.value(1), 4) == std::vector<bool>{false, false, true, true};
}

}  // namespace mithril::cpu_backend
