#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/cpu/conv/window_attributes.hpp"
#include "backends/cpu/descriptors/reference_steps.hpp"
#include "backends/cpu/runtime/axes.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

struct Gathering {
  int64_t outer = 1, size = 1, inner = 1;  // of the input, around the axis; inner in bytes
  int64_t count = 0;                       // number of indices
};

struct GatheringBuffers {
  BufferRef from, index, to;
};

template <typename Index>
class GatheringStep final : public Step {
 public:
  // `reference` runs `eval` if an index is out of range, which raises the error.
  GatheringStep(Gathering gathering, int threads, GatheringBuffers refs,
                std::unique_ptr<Step> reference)
      : g_(gathering), threads_(threads), refs_(refs), reference_(std::move(reference)) {}

  void run(const BufferTable& buffers) const override {
    const Index* index = buffers.read<Index>(refs_.index);
    const bool fits = std::all_of(index, index + g_.count,
                                  [&](Index at) { return at >= -g_.size && at < g_.size; });
    if (!fits) return reference_->run(buffers);
    const auto* from = buffers.read<std::byte>(refs_.from);
    auto* to = buffers.write<std::byte>(refs_.to);
    const int64_t rows = g_.outer * g_.count;
    const Work work{.amount = rows * g_.inner, .pieces = rows, .grain_size = 1 << 19};
    run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
      for (int64_t row = first; row < last; ++row) {
        const auto at = static_cast<int64_t>(index[row % g_.count]);
        const int64_t source = row / g_.count * g_.size + (at < 0 ? at + g_.size : at);
        std::memcpy(to + row * g_.inner, from + source * g_.inner, static_cast<size_t>(g_.inner));
      }
    });
  }

 private:
  Gathering g_;
  int threads_;
  GatheringBuffers refs_;
  std::unique_ptr<Step> reference_;
};

Gathering gathering_of(const ShapedGraph& shaped, ValueId from, ValueId index, int64_t axis) {
  const AroundAxis around(shaped.dims(from), axis);
  return {.outer = around.outer,
          .size = around.size,
          .inner = around.inner * static_cast<int64_t>(size_of(shaped.dtype(from))),
          .count = shaped.count(index)};
}

}  // namespace

std::optional<StepDescriptor> lower_gathering(const LoweringContext& context, size_t node,
                                              const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, node, call);
  const auto from = reader.tensor(0), index = reader.tensor(1);
  const ValueId to = shaped.node(node).outputs.front();
  if (!from || !index || shaped.dtype(*from) != shaped.dtype(to)) return std::nullopt;
  const Gathering gathering = gathering_of(shaped, *from, *index, reader.value(2).integer());
  if (shaped.count(to) == 0) return std::nullopt;
  StepDescriptor descriptor = evaluated(shaped, node);
  const bool is_long = shaped.dtype(*index) == DType::int64;
  descriptor.make = [=, threads = context.config.threads, from = *from, index = *index,
                     reference = std::move(descriptor.make)](
                        const BufferRefs& refs, BufferRef scratch) -> std::unique_ptr<Step> {
    const GatheringBuffers at{refs[mithril::index(from)], refs[mithril::index(index)],
                              refs[mithril::index(to)]};
    auto fallback = reference(refs, scratch);
    if (is_long) {
      return std::make_unique<GatheringStep<int64_t>>(gathering, threads, at, std::move(fallback));
    }
    return std::make_unique<GatheringStep<int32_t>>(gathering, threads, at, std::move(fallback));
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
