#include <algorithm>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"

namespace mithril::cpu_backend {
namespace {

// The bytes of the output that a thread writes at once.
constexpr int64_t piece_bytes = 1 << 16;

// An input: it has `bytes` in each row of the output, from byte `begin` of the row on.
struct JoinedInput {
  ValueId from;
  int64_t begin, bytes;
};

struct Concat {
  std::vector<JoinedInput> inputs;
  int64_t bytes, row_bytes;  // of the output, and of one row
  int threads;
  ValueId output;

  void operator()(const BufferTable& buffers) const {
    const Work work{.amount = bytes, .pieces = up(bytes, piece_bytes), .grain_size = 1 << 19};
    run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
      write(buffers, first * piece_bytes, std::min(last * piece_bytes, bytes));
    });
  }

  // Writes the bytes [begin, end) of the output.
  void write(const BufferTable& buffers, int64_t begin, int64_t end) const {
    while (begin < end) {
      const int64_t row = begin / row_bytes, at = begin % row_bytes;
      for (const JoinedInput& input : inputs) {
        const int64_t first = std::max(at, input.begin);
        const int64_t last = std::min(input.begin + input.bytes, at + end - begin);
        if (first >= last) continue;
        const auto* from = buffers.read<std::byte>(input.from) + row * input.bytes;
        std::copy(from + first - input.begin, from + last - input.begin,
                  buffers.write<std::byte>(output) + row * row_bytes + first);
      }
      begin = std::min(end, (row + 1) * row_bytes);
    }
  }
};

}  // namespace

std::optional<StepDescriptor> lower_concat(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const ValueId to = call.made();
  const Datum& axis = call.value(1);
  const auto element = static_cast<int64_t>(size_of(shaped.dtype(to)));
  const AxisView around = AxisView::along(shaped.dims(to), axis.is_none() ? 0 : axis.integer());
  StepDescriptor descriptor{.writes = {to}};
  std::vector<JoinedInput> inputs;
  int64_t begin = 0;
  for (const Argument& argument : call.node().arguments) {
    const ValueId* id = tensor_of(argument);
    if (!id) continue;
    if (shaped.dtype(*id) != shaped.dtype(to)) return std::nullopt;
    const int64_t bytes = around.outer == 0 ? 0 : shaped.count(*id) / around.outer * element;
    if (bytes * around.outer != shaped.count(*id) * element) return std::nullopt;
    descriptor.reads.push_back(*id);
    inputs.push_back({*id, begin, bytes});
    begin += bytes;
  }
  // `eval` raises the error if the inputs do not fit.
  if (begin != around.size * around.inner * element || begin == 0) return std::nullopt;
  descriptor.step =
      make_step(Concat{std::move(inputs), around.outer * begin, begin, call.threads(), to});
  return descriptor;
}

}  // namespace mithril::cpu_backend
