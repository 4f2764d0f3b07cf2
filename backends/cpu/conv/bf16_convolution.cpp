#include "backends/cpu/conv/bf16_convolution.hpp"

#include <utility>
#include <vector>

#include "backends/cpu/conv/vnni_pairs.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Packs the planes of a value.
struct PackPairs {
  PairedPlanes planes;
  BufferRef from, to;

  void run(const BufferTable& buffers, int threads) const {
    const int64_t count = planes.count();
    const int parts = task_count(
        {.amount = count * planes.size, .pieces = count, .grain_size = 1 << 15}, threads);
    ThreadPool::shared().run(parts, threads, [&](int part) {
      planes.pack(buffers.read<uint16_t>(from), count * part / parts, count * (part + 1) / parts,
                  buffers.write<float>(to));
    });
  }
};

class PairedConvolutionStep final : public Step {
 public:
  PairedConvolutionStep(std::vector<PackPairs> before, int threads,
                        std::unique_ptr<Step> convolution)
      : before_(std::move(before)), threads_(threads), convolution_(std::move(convolution)) {}

  void run(const BufferTable& buffers) const override {
    for (const PackPairs& pack : before_) pack.run(buffers, threads_);
    convolution_->run(buffers);
  }

 private:
  std::vector<PackPairs> before_;
  int threads_;
  std::unique_ptr<Step> convolution_;
};

}  // namespace

StepDescriptor lower_bf16_convolution(const LoweringContext& context,
                                      const Convolution& convolution,
                                      const ConvolutionValues& values, StepDescriptor descriptor) {
  std::vector<std::pair<ValueId, PairedPlanes>> packed{
      {values.source, planes_of_source(convolution)}};
  if (!context.packed.find(values.weight)) {
    packed.emplace_back(values.weight, planes_of_weight(context.shaped.dims(values.weight)));
  }
  for (const auto& [value, planes] : packed) descriptor.scratch_bytes += planes.bytes();
  const auto make =
      [packed, threads = context.config.threads, inner = std::move(descriptor.make_with_epilogue)](
          const BufferRefs& refs, BufferRef scratch, std::unique_ptr<ElementStep> epilogue) {
        BufferRefs own = refs;
        std::vector<PackPairs> before;
        for (const auto& [value, planes] : packed) {
          before.push_back({planes, refs[index(value)], scratch});
          own[index(value)] = scratch;
          scratch.offset += planes.bytes();
        }
        return std::make_unique<PairedConvolutionStep>(std::move(before), threads,
                                                       inner(own, scratch, std::move(epilogue)));
      };
  descriptor.make = [make](const BufferRefs& refs, BufferRef scratch) {
    return make(refs, scratch, nullptr);
  };
  descriptor.make_with_epilogue = make;
  return descriptor;
}

}  // namespace mithril::cpu_backend
