#include "backends/cpu/conv/convolution_step.hpp"

#include <utility>

#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

using Form = std::shared_ptr<const ConvolutionForm>;

// Rounds up to whole cache lines.
int64_t lines(int64_t bytes) { return round_up(bytes, 64); }

// The operands that each run packs to pairs: the source, and a weight that is not bound.
struct PairedOperands {
  VnniOperand source, weight;
  std::optional<Int16Operand> int16_source = {};  // in place of `source`

  int64_t bytes() const {
    const int64_t int16_pairs = int16_source ? int16_source->scratch_count() : 0;
    return (source.scratch_count() + weight.scratch_count() + int16_pairs) * int64_t{sizeof(float)};
  }
};

class ConvolutionStep final : public TiledStep {
 public:
  ConvolutionStep(Form form, PairedOperands pairs, int threads, const ConvolutionValues& values,
                  PackedWeights::Bytes packed)
      : form_(std::move(form)),
        pairs_(pairs),
        partition_(partition_groups(form_->work(), form_->units(), threads)),
        threads_(threads),
        values_(values),
        packed_(std::move(packed)) {
    if (!packed_) rounds_ = form_->rounds(threads);
  }

  // The packed weight if it is not bound, VNNI pairs, padded sources and workspaces, and the result
  // before store().
  int64_t scratch_bytes() const override {
    const int64_t sources = partition_.whole ? partition_.parts : 1;
    return weight_lines() + pairs_.bytes() + sources * lines(form_->source_bytes()) +
           partition_.parts * work_lines(*form_) + lines(form_->made_bytes());
  }

  void run(const BufferTable& buffers) const override {
    auto* free = buffers.scratch<std::byte>();
    Weight weight{nullptr, free};
    free += weight_lines();
    const Epilogue epilogue(this->epilogue.get(), &buffers);
    auto* const made = buffers.write<std::byte>(values_.made);
    ConvolutionOperands o{.source = paired_source(buffers, free),
                          .weight = packed_ ? packed_.get() : weight.packed,
                          .bias = buffers.read<std::byte>(values_.bias),
                          .made = made,
                          .epilogue = epilogue};
    if (!packed_) {
      weight.from = paired(pairs_.weight, buffers.read<std::byte>(values_.weight), free);
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
      form_->store(o.made, made, epilogue, {part, partition_.parts});
    });
  }

 private:
  // A weight that is packed in each run.
  struct Weight {
    const std::byte* from;
    std::byte* packed;
  };

  int64_t weight_lines() const {
    if (packed_) return 0;
    return lines((rounds_.empty() ? *form_ : *rounds_.front()).weight_bytes());
  }
  int64_t work_lines(const ConvolutionForm& form) const {
    return lines(form.work_bytes(partition_.whole ? 1 : partition_.parts));
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(static_cast<int>(partition_.parts), threads_, what);
  }

  // The operand as VNNI pairs, in the free memory unless it is read in place.
  const std::byte* paired(const VnniOperand& operand, const std::byte* from,
                          std::byte*& free) const {
    auto* scratch = reinterpret_cast<float*>(free);
    const float* made = operand.packed(reinterpret_cast<const uint16_t*>(from), scratch, threads_);
    free = reinterpret_cast<std::byte*>(scratch);
    return reinterpret_cast<const std::byte*>(made);
  }

  const std::byte* paired_source(const BufferTable& buffers, std::byte*& free) const {
    const auto* from = buffers.read<std::byte>(values_.source);
    if (!pairs_.int16_source) return paired(pairs_.source, from, free);
    std::byte* const to = free;
    free += pairs_.int16_source->scratch_count() * int64_t{sizeof(int32_t)};
    pairs_.int16_source->pack(from, zero_point(buffers, values_.zero), threads_,
                              reinterpret_cast<int32_t*>(to));
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
    const int64_t own_bytes = padded_bytes + work_lines(*form_);
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
        const Range rows = GemmPart{part, partition_.parts}.share(form_->source_rows());
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
    const int64_t own_bytes = work_lines(form);
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
  ConvolutionValues values_;
  PackedWeights::Bytes packed_;  // null: packed in each run
  std::vector<Form> rounds_;     // empty: all output channels at once
};

PackedWeights::Bytes packed_weight(const LoweringContext& context, const ConvolutionForm& form,
                                   ValueId weight) {
  return context.packed.pack(weight, form.format(), [&](const Tensor& tensor) {
    auto bytes = context.packed.allocate(form.weight_bytes());
    const Tensor host = tensor.host();
    std::vector<float> pairs;
    const void* from = host.raw_data();
    if (form.takes_pairs() && host.dtype() == DType::bfloat16) {
      const VnniOperand operand = vnni_weight(host.dims());
      pairs.resize(static_cast<size_t>(operand.packed_count()));
      operand.pack(static_cast<const uint16_t*>(from), context.config.threads, pairs.data());
      from = pairs.data();
    }
    std::vector<int32_t> int16_pairs;
    if (host.dtype() == DType::int16) {
      const Int16Operand operand = int16_weight(host.dims());
      int16_pairs.resize(static_cast<size_t>(operand.count()));
      operand.pack(from, 0, context.config.threads, int16_pairs.data());
      from = int16_pairs.data();
    }
    ThreadPool::shared().run(static_cast<int>(form.panels()), context.config.threads,
                             [&](int panel) { form.pack_weight(from, panel, bytes.get()); });
    return bytes;
  });
}

StepDescriptor described(const LoweringContext& context, Form form, PairedOperands pairs,
                         const ConvolutionValues& values, bool is_input_gradient) {
  const bool is_empty = context.shaped.count(values.made) == 0;
  PackedWeights::Bytes packed;
  if (!is_input_gradient && !is_empty && context.packed.find(values.weight)) {
    packed = packed_weight(context, *form, values.weight);
  }
  if (!pairs.source.in_place() && !packed)
    pairs.weight = vnni_weight(context.shaped.dims(values.weight));
  StepDescriptor descriptor{.reads = {values.source}, .writes = {values.made}};
  descriptor.kernel = "convolution: " + std::string(name(form->format().layout));
  if (!packed) descriptor.reads.push_back(values.weight);
  if (values.bias) descriptor.reads.push_back(*values.bias);
  if (values.zero) descriptor.reads.push_back(values.zero->id);
  if (is_empty) {
    descriptor.step = make_step([](const BufferTable&) {});
    return descriptor;
  }
  descriptor.step = std::make_unique<ConvolutionStep>(
      std::move(form), pairs, context.config.threads, values, std::move(packed));
  descriptor.takes_epilogue = !is_input_gradient;
  return descriptor;
}

}  // namespace

StepDescriptor convolution_descriptor(const LoweringContext& context, Form form,
                                      const ConvolutionValues& values, bool is_input_gradient) {
  PairedOperands pairs{form->source_pairs(), {}};
  return described(context, std::move(form), std::move(pairs), values, is_input_gradient);
}

StepDescriptor integer_convolution_descriptor(const LoweringContext& context, Form form,
                                              const ConvolutionValues& values,
                                              const Int16Operand& source) {
  return described(context, std::move(form), {{}, {}, source}, values, false);
}

}  // namespace mithril::cpu_backend
