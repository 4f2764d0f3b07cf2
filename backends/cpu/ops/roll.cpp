#include <algorithm>

#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/window_axis.hpp"

namespace mithril::cpu_backend {
namespace {

// An axis, and the index of the input that its first place reads.
struct RolledAxis {
  int64_t size, from = 0;
};

// Copies rows that are contiguous in the input up to the end of the last rolled axis, in two
// pieces: before and after this end.
struct Roll {
  std::vector<RolledAxis> outer;  // the axes before the last rolled one
  RolledAxis last;
  int64_t bytes;  // of all elements of one place along the last one
  int threads;
  ValueId input, output;

  void operator()(const BufferTable& buffers) const {
    int64_t rows = 1;
    for (const RolledAxis& axis : outer) rows *= axis.size;
    const int64_t row_bytes = last.size * bytes, first = last.from * bytes;
    if (rows * row_bytes == 0) return;
    const Work work{.amount = rows * row_bytes, .pieces = rows, .grain_size = 1 << 19};
    run_ranges(work, threads, [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin; row < end; ++row) {
        const auto* from = buffers.read<std::byte>(input) + input_row(row) * row_bytes;
        auto* to = buffers.write<std::byte>(output) + row * row_bytes;
        std::copy(from + first, from + row_bytes, to);
        std::copy(from, from + first, to + row_bytes - first);
      }
    });
  }

  // The row of the input that this row of the output reads.
  int64_t input_row(int64_t row) const {
    int64_t from = 0, step = 1;
    for (auto at = outer.rbegin(); at != outer.rend(); ++at) {
      from += (row % at->size + at->from) % at->size * step;
      row /= at->size;
      step *= at->size;
    }
    return from;
  }
};

void roll_axis(RolledAxis& axis, int64_t shift) {
  if (axis.size == 0) return;
  axis.from = ((axis.from - shift % axis.size) % axis.size + axis.size) % axis.size;
}

}  // namespace

std::optional<StepDescriptor> lower_roll(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId from = *call.tensor(0), to = call.made();
  const Datum& shifts = call.value(1);
  const bool flat = call.value(2).is_none();
  const Dims dims = flat ? Dims{shaped.count(from)} : shaped.dims(from);
  const std::vector<size_t> chosen = axis_list(flat ? Datum(0) : call.value(2), dims.size());
  const size_t count = shifts.kind() == kind::tuple ? shifts.tuple().size() : 1;
  if (chosen.empty() || chosen.size() != count) return std::nullopt;
  std::vector<RolledAxis> axes;
  for (const int64_t size : dims) axes.push_back({size});
  size_t last = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    roll_axis(axes[chosen[i]], per_axis(shifts, i).integer());
    last = std::max(last, chosen[i]);
  }
  auto bytes = static_cast<int64_t>(size_of(shaped.dtype(to)));
  for (; axes.size() > last + 1; axes.pop_back()) bytes *= axes.back().size;
  const RolledAxis row = axes.back();
  axes.pop_back();
  return StepDescriptor{.reads = {from},
                        .writes = {to},
                        .step = make_step(Roll{axes, row, bytes, call.threads(), from, to})};
}

}  // namespace mithril::cpu_backend
