#include "backends/cpu/conv/convolution_form.hpp"

#include <utility>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {

Convolution in_pairs(Convolution convolution) {
  convolution.inputs = (convolution.inputs + 1) / 2;
  return convolution;
}

int64_t PairedPlanes::bytes() const {
  return round_up(count() * size * int64_t{sizeof(float)}, 64);
}

void PairedPlanes::pack(const uint16_t* from, int64_t first, int64_t last, float* to) const {
  const int64_t pairs = (channels + 1) / 2;
  for (int64_t plane = first; plane < last; ++plane) {
    const int64_t channel = plane % pairs * 2;
    const uint16_t* one = from + (plane / pairs * channels + channel) * size;
    const uint16_t* other = channel + 1 < channels ? one + size : nullptr;
    bfloat16_kernels()->pair(one, other, size, to + plane * size);
  }
}

PairedPlanes planes_of_source(const Convolution& c) {
  return {c.images * c.groups, c.inputs, c.height.input * c.width.input};
}

PairedPlanes planes_of_weight(const Dims& dims) { return {dims[0], dims[1], dims[2] * dims[3]}; }

std::vector<float> paired_weight(const Tensor& weight) {
  const PairedPlanes planes = planes_of_weight(weight.dims());
  std::vector<float> pairs(static_cast<size_t>(planes.count() * planes.size));
  planes.pack(static_cast<const uint16_t*>(weight.raw_data()), 0, planes.count(), pairs.data());
  return pairs;
}

namespace {

using Form = std::shared_ptr<const ConvolutionForm>;

// In whole cache lines.
int64_t lines(int64_t bytes) { return round_up(bytes, 64); }

// The source that each run packs to VNNI pairs; no planes: none.
struct PairedOperands {
  PairedPlanes source, weight;
};

class ConvolutionStep final : public Step {
 public:
  ConvolutionStep(Form form, PairedOperands pairs, int threads, const ConvolutionValues& values,
                  const BufferRefs& refs, BufferRef scratch, PackedWeights::Bytes packed,
                  std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        pairs_(pairs),
        partition_(partition_of(*form_, threads)),
        threads_(threads),
        source_(refs[index(values.source)]),
        weight_(refs[index(values.weight)]),
        made_(refs[index(values.made)]),
        scratch_(scratch),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {
    if (values.bias) bias_ = refs[index(*values.bias)];
    if (!packed_) rounds_ = form_->rounds(threads);
  }

  // Bytes of scratch memory: the packed weight if it is not bound, VNNI pairs, padded sources and
  // workspaces, and the result before store().
  static int64_t scratch_bytes(const ConvolutionForm& form, const PairedOperands& pairs,
                               int threads, bool packed) {
    const GroupPartition partition = partition_of(form, threads);
    int64_t weight = 0;
    if (!packed) {
      const std::vector<Form> rounds = form.rounds(threads);
      weight = (rounds.empty() ? form : *rounds.front()).weight_bytes();
    }
    const int64_t sources = partition.whole ? partition.parts : 1;
    return lines(weight) + pairs.source.bytes() + pairs.weight.bytes() +
           sources * lines(form.source_bytes()) + partition.parts * work_lines(form, partition) +
           lines(form.made_bytes());
  }

  void run(const BufferTable& buffers) const override {
    auto* free = buffers.write<std::byte>(scratch_);
    Weight weight{nullptr, free};
    if (!packed_) free += lines((rounds_.empty() ? *form_ : *rounds_.front()).weight_bytes());
    ConvolutionOperands o{.source = paired(pairs_.source, buffers.read<std::byte>(source_), free),
                          .weight = packed_ ? packed_.get() : weight.packed,
                          .bias = bias_ ? buffers.read<std::byte>(*bias_) : nullptr,
                          .made = buffers.write<std::byte>(made_),
                          .epilogue = Epilogue(epilogue_.get(), &buffers)};
    if (!packed_) {
      weight.from = paired(pairs_.weight, buffers.read<std::byte>(weight_), free);
      if (rounds_.empty()) pack(weight, *form_);
    }
    const bool stores = form_->made_bytes() > 0;
    if (stores) {
      o.made = free;
      o.epilogue = Epilogue();
      free += lines(form_->made_bytes());
    }
    if (partition_.whole && rounds_.empty()) {
      run_whole_units(o, free);
    } else {
      for (o.unit = 0; o.unit < form_->units(); ++o.unit) run_shared_unit(weight, o, free);
    }
    if (!stores) return;
    each_part([&](int64_t part) {
      form_->store(o.made, buffers.write<std::byte>(made_), Epilogue(epilogue_.get(), &buffers),
                   {part, partition_.parts});
    });
  }

 private:
  // A weight that is packed in each run.
  struct Weight {
    const std::byte* from;
    std::byte* packed;
  };

  static GroupPartition partition_of(const ConvolutionForm& form, int threads) {
    return partition_groups(form.work(), form.units(), threads);
  }
  static int64_t work_lines(const ConvolutionForm& form, const GroupPartition& partition) {
    return lines(form.work_bytes(partition.whole ? 1 : partition.parts));
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(static_cast<int>(partition_.parts), threads_, what);
  }

  // Packs the planes to VNNI pairs in the free memory. Returns `from` if there are none.
  const std::byte* paired(const PairedPlanes& planes, const std::byte* from,
                          std::byte*& free) const {
    const int64_t count = planes.count();
    if (count == 0) return from;
    std::byte* to = std::exchange(free, free + planes.bytes());
    const Work work{.amount = count * planes.size, .pieces = count, .grain_size = 1 << 15};
    run_ranges(work, threads_, [&](int64_t first, int64_t last, int) {
      planes.pack(reinterpret_cast<const uint16_t*>(from), first, last,
                  reinterpret_cast<float*>(to));
    });
    return to;
  }

  void pack(const Weight& weight, const ConvolutionForm& form) const {
    each_part([&](int64_t part) {
      const auto [first, last] = GemmPart{part, partition_.parts}.share(form.panels());
      for (int64_t panel = first; panel < last; ++panel) {
        form.pack_weight(weight.from, panel, weight.packed);
      }
    });
  }

  // Each part computes some of the units.
  void run_whole_units(const ConvolutionOperands& operands, std::byte* free) const {
    const int64_t padded_bytes = lines(form_->source_bytes());
    const int64_t own_bytes = padded_bytes + work_lines(*form_, partition_);
    each_part([&](int64_t part) {
      ConvolutionOperands o = operands;
      std::byte* padded = free + part * own_bytes;
      o.work = padded + padded_bytes;
      const auto [first, last] = GemmPart{part, partition_.parts}.share(form_->units());
      for (o.unit = first; o.unit < last; ++o.unit) {
        if (padded_bytes > 0) {
          form_->pad(operands.source, o.unit, {0, form_->source_rows()}, padded);
          o.source = padded;
        }
        form_->multiply(o, form_->cut(1));
      }
    });
  }

  // All parts compute one unit together.
  void run_shared_unit(const Weight& weight, ConvolutionOperands o, std::byte* free) const {
    const int64_t padded_bytes = lines(form_->source_bytes());
    if (padded_bytes > 0) {
      each_part([&](int64_t part) {
        const GemmPart::Range rows = GemmPart{part, partition_.parts}.share(form_->source_rows());
        form_->pad(o.source, o.unit, rows, free);
      });
      o.source = free;
    }
    if (rounds_.empty()) return multiply(*form_, o, free + padded_bytes);
    for (const Form& round : rounds_) {
      pack(weight, *round);
      multiply(*round, o, free + padded_bytes);
    }
  }

  void multiply(const ConvolutionForm& form, const ConvolutionOperands& operands,
                std::byte* work) const {
    const GemmPart cut = form.cut(partition_.parts);
    const int64_t own_bytes = work_lines(form, partition_);
    each_part([&](int64_t part) {
      ConvolutionOperands o = operands;
      o.work = work + part * own_bytes;
      form.multiply(o, {part, cut.parts, cut.of_rows});
    });
  }

  Form form_;
  PairedOperands pairs_;
  GroupPartition partition_;
  int threads_;
  BufferRef source_, weight_, made_, scratch_;
  std::optional<BufferRef> bias_;
  PackedWeights::Bytes packed_;            // null: packed in each run
  std::unique_ptr<ElementStep> epilogue_;  // null: no epilogue
  std::vector<Form> rounds_;               // empty: all output channels at once
};

PackedWeights::Bytes packed_weight(const LoweringContext& context, const ConvolutionForm& form,
                                   ValueId weight) {
  return context.packed.pack(weight, form.format(), [&](const Tensor& tensor) {
    auto bytes = context.packed.allocate(form.weight_bytes());
    const Tensor host = tensor.host();
    const bool in_pairs = host.dtype() == DType::bfloat16 && form.takes_pairs();
    const std::vector<float> pairs = in_pairs ? paired_weight(host) : std::vector<float>();
    const void* from = in_pairs ? static_cast<const void*>(pairs.data()) : host.raw_data();
    ThreadPool::shared().run(static_cast<int>(form.panels()), context.config.threads,
                             [&](int panel) { form.pack_weight(from, panel, bytes.get()); });
    return bytes;
  });
}

}  // namespace

StepDescriptor convolution_descriptor(const LoweringContext& context, Form form,
                                      const ConvolutionValues& values, bool is_input_gradient) {
  const int threads = context.config.threads;
  const bool is_empty = context.shaped.count(values.made) == 0;
  PackedWeights::Bytes packed;
  if (!is_input_gradient && !is_empty && context.packed.find(values.weight)) {
    packed = packed_weight(context, *form, values.weight);
  }
  PairedOperands pairs{form->source_pairs(), {}};
  if (pairs.source.count() > 0 && !packed) {
    pairs.weight = planes_of_weight(context.shaped.dims(values.weight));
  }
  StepDescriptor descriptor{
      .reads = {values.source},
      .writes = {values.made},
      .scratch_bytes =
          is_empty ? 0 : ConvolutionStep::scratch_bytes(*form, pairs, threads, packed != nullptr)};
  if (!packed) descriptor.reads.push_back(values.weight);
  if (values.bias) descriptor.reads.push_back(*values.bias);
  const auto make = [=](const BufferRefs& refs, BufferRef scratch,
                        std::unique_ptr<ElementStep> epilogue) -> std::unique_ptr<Step> {
    if (is_empty) return make_step([](const BufferTable&) {});
    return std::make_unique<ConvolutionStep>(form, pairs, threads, values, refs, scratch, packed,
                                             std::move(epilogue));
  };
  descriptor.make = [make](const BufferRefs& refs, BufferRef scratch) {
    return make(refs, scratch, nullptr);
  };
  if (!is_input_gradient) descriptor.make_with_epilogue = make;
  return descriptor;
}

}  // namespace mithril::cpu_backend
