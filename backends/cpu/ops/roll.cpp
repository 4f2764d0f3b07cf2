#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

// An axis, and the index of the input that its first place reads.
struct RolledAxis {
  int64_t size, from = 0;
};

// Copies rows that are contiguous in the input up to the end of the last rolled axis, in two
// pieces: before and after this end.
class RollStep final : public Step {
 public:
  // `axes`: up to the last rolled one. `bytes`: of all elements of one place along it.
  RollStep(std::vector<RolledAxis> axes, int64_t bytes, int threads, BufferRef from, BufferRef to)
      : row_(axes.back()), bytes_(bytes), threads_(threads), from_(from), to_(to) {
    axes.pop_back();
    outer_ = std::move(axes);
    for (const RolledAxis& axis : outer_) rows_ *= axis.size;
  }

  void run(const BufferTable& buffers) const override {
    const int64_t row_bytes = row_.size * bytes_, first = row_.from * bytes_;
    if (rows_ * row_bytes == 0) return;
    const Work work{.amount = rows_ * row_bytes, .pieces = rows_, .grain_size = 1 << 19};
    run_ranges(work, threads_, [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin; row < end; ++row) {
        const auto* from = buffers.read<std::byte>(from_) + input_row(row) * row_bytes;
        auto* to = buffers.write<std::byte>(to_) + row * row_bytes;
        std::copy(from + first, from + row_bytes, to);
        std::copy(from, from + first, to + row_bytes - first);
      }
    });
  }

 private:
  // The row of the input that this row of the output reads.
  int64_t input_row(int64_t row) const {
    int64_t from = 0, step = 1;
    for (size_t axis = outer_.size(); axis-- > 0;) {
      const RolledAxis& at = outer_[axis];
      from += (row % at.size + at.from) % at.size * step;
      row /= at.size;
      step *= at.size;
    }
    return from;
  }

  std::vector<RolledAxis> outer_;
  RolledAxis row_;
  int64_t rows_ = 1, bytes_;
  int threads_;
  BufferRef from_, to_;
};

void roll_axis(RolledAxis& axis, int64_t shift) {
  if (axis.size == 0) return;
  axis.from = ((axis.from - shift % axis.size) % axis.size + axis.size) % axis.size;
}

std::vector<int64_t> integers(const Datum& datum) {
  if (datum.kind() != kind::tuple) return {datum.integer()};
  std::vector<int64_t> numbers;
  for (const Datum& item : datum.tuple()) numbers.push_back(item.integer());
  return numbers;
}

}  // namespace

std::optional<StepDescriptor> lower_roll(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId from = *call.tensor(0), to = call.made();
  const std::vector<int64_t> shifts = integers(call.value(1));
  const bool flat = call.value(2).is_none();
  std::vector<int64_t> chosen = flat ? std::vector<int64_t>{0} : integers(call.value(2));
  const Dims dims = flat ? Dims{shaped.count(from)} : shaped.dims(from);
  if (chosen.empty() || chosen.size() != shifts.size()) return std::nullopt;
  std::vector<RolledAxis> axes;
  for (const int64_t size : dims) axes.push_back({size});
  size_t last = 0;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const auto axis = static_cast<size_t>(chosen[i] < 0 ? chosen[i] + std::ssize(dims) : chosen[i]);
    roll_axis(axes[axis], shifts[i]);
    last = std::max(last, axis);
  }
  auto bytes = static_cast<int64_t>(size_of(shaped.dtype(to)));
  for (; axes.size() > last + 1; axes.pop_back()) bytes *= axes.back().size;
  return StepDescriptor{.reads = {from},
                        .writes = {to},
                        .make = [=, threads = call.threads()](const BufferRefs& refs, BufferRef) {
                          return std::make_unique<RollStep>(axes, bytes, threads, refs[index(from)],
                                                            refs[index(to)]);
                        }};
}

}  // namespace mithril::cpu_backend
