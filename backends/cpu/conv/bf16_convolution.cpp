#include "backends/cpu/conv/bf16_convolution.hpp"

#include <utility>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Planes of bfloat16: `groups` groups of `channels` planes of `size` elements. They are packed to
// VNNI pairs: element i of channel 2c and of channel 2c + 1 become one 32-bit pair.
struct Planes {
  int64_t groups = 0, channels = 0, size = 0;

  int64_t units() const { return groups * ((channels + 1) / 2); }
  int64_t bytes() const {
    constexpr int64_t line = 64;
    return (units() * size * int64_t{sizeof(float)} + line - 1) / line * line;
  }

  void bring(const uint16_t* from, int64_t first, int64_t last, float* to) const {
    const int64_t pairs = (channels + 1) / 2;
    for (int64_t unit = first; unit < last; ++unit) {
      const int64_t channel = unit % pairs * 2;
      const uint16_t* one = from + (unit / pairs * channels + channel) * size;
      const uint16_t* other = channel + 1 < channels ? one + size : nullptr;
      bfloat16_kernels()->pair(one, other, size, to + unit * size);
    }
  }
};

Planes planes_of_source(const Convolution& c) {
  return {c.images * c.groups, c.inputs, c.height.input * c.width.input};
}
Planes planes_of_weight(const Dims& dims) { return {dims[0], dims[1], dims[2] * dims[3]}; }

struct Bringing {
  Planes planes;
  BufferRef from, to;

  void run(const BufferTable& buffers, int threads) const {
    const int64_t units = planes.units();
    const int parts = task_count(
        {.amount = units * planes.size, .pieces = units, .grain_size = 1 << 15}, threads);
    ThreadPool::shared().run(parts, threads, [&](int part) {
      planes.bring(buffers.read<uint16_t>(from), units * part / parts, units * (part + 1) / parts,
                   buffers.write<float>(to));
    });
  }
};

class PairedConvolutionStep final : public Step {
 public:
  PairedConvolutionStep(std::vector<Bringing> before, int threads,
                        std::unique_ptr<Step> convolution)
      : before_(std::move(before)), threads_(threads), convolution_(std::move(convolution)) {}

  void run(const BufferTable& buffers) const override {
    for (const Bringing& bringing : before_) bringing.run(buffers, threads_);
    convolution_->run(buffers);
  }

 private:
  std::vector<Bringing> before_;
  int threads_;
  std::unique_ptr<Step> convolution_;
};

}  // namespace

Convolution in_pairs(Convolution convolution) {
  convolution.inputs = (convolution.inputs + 1) / 2;
  return convolution;
}

std::vector<float> paired_weight(const Tensor& weight) {
  const Planes planes = planes_of_weight(weight.dims());
  std::vector<float> pairs(static_cast<size_t>(planes.units() * planes.size));
  planes.bring(static_cast<const uint16_t*>(weight.raw_data()), 0, planes.units(), pairs.data());
  return pairs;
}

StepDescriptor lower_bf16_convolution(const LoweringContext& context,
                                      const Convolution& convolution,
                                      const ConvolutionValues& values, StepDescriptor descriptor) {
  std::vector<std::pair<ValueId, Planes>> brought{{values.source, planes_of_source(convolution)}};
  if (!context.packed.find(values.weight)) {
    brought.emplace_back(values.weight, planes_of_weight(context.shaped.dims(values.weight)));
  }
  for (const auto& [value, planes] : brought) descriptor.scratch_bytes += planes.bytes();
  const auto make =
      [brought, threads = context.config.threads, inner = std::move(descriptor.make_with_epilogue)](
          const BufferRefs& refs, BufferRef scratch, std::unique_ptr<ElementStep> epilogue) {
        BufferRefs own = refs;
        std::vector<Bringing> before;
        for (const auto& [value, planes] : brought) {
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
