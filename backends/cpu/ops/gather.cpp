#include "backends/cpu/ops/lower_ops.hpp"

#include <cstring>
#include <utility>

#include "backends/cpu/ops/indices.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

// The input, around the axis: a row is what one index selects.
struct Gathering {
  int64_t outer, size, row_bytes;
};

struct GatheringBuffers {
  BufferRef from, to;
};

// `reference` runs `eval`.
std::unique_ptr<Step> gathering_step(const Gathering& g, const Indices& indices, int threads,
                                     GatheringBuffers refs, std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const auto* from = buffers.read<std::byte>(refs.from);
    auto* to = buffers.write<std::byte>(refs.to);
    const int64_t count = indices.count, rows = g.outer * count, bytes = g.row_bytes;
    const bool fits = indices.visit(buffers, [&](const auto& index) {
      const Work work{.amount = rows * bytes, .pieces = rows, .grain_size = 1 << 19};
      run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
        for (int64_t row = first; row < last; ++row) {
          const int64_t source = row / count * g.size + index(row % count);
          std::memcpy(to + row * bytes, from + source * bytes, static_cast<size_t>(bytes));
        }
      });
    });
    if (!fits) reference->run(buffers);
  });
}

}  // namespace

std::optional<StepDescriptor> lower_gathering(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto from = call.tensor(0), index = call.tensor(1);
  const ValueId to = call.made();
  if (!from || !index || shaped.dtype(*from) != shaped.dtype(to)) return std::nullopt;
  if (shaped.count(to) == 0) return std::nullopt;
  const AroundAxis around(shaped.dims(*from), call.value(2).integer());
  const Gathering gathering{around.outer, around.size,
                            around.inner * static_cast<int64_t>(size_of(shaped.dtype(*from)))};
  const Indices indices{{}, shaped.dtype(*index), shaped.count(*index), around.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.make = [=, threads = call.threads(), from = *from, index = *index,
                     reference = std::move(descriptor.make)](const BufferRefs& refs,
                                                             BufferRef scratch) {
    return gathering_step(gathering, indices.at(refs[mithril::index(index)]), threads,
                          {refs[mithril::index(from)], refs[mithril::index(to)]},
                          reference(refs, scratch));
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
