#include "backends/cpu/conv/panel_convolution.hpp"

#include <utility>

#include "backends/cpu/conv/im2col.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Transforms one panel of the weight; `panel` counts the panels of all groups.
void transform_panel(const Im2colForm& form, const uint16_t* weight, int64_t panel, float* to) {
  const Convolution& c = form.convolution();
  const int64_t group = panel / form.panels();
  const int64_t each = c.outputs * c.inputs * c.height.kernel * c.width.kernel;
  form.transform_weight(weight + group * each, panel % form.panels(),
                        to + group * form.weight_count());
}

class Im2colStep final : public Step {
 public:
  Im2colStep(Im2colForm form, int threads, const ConvolutionValues& values, const BufferRefs& refs,
             BufferRef scratch, PackedWeights::Bytes weight, std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        sharing_(partition_of(form_, threads)),
        threads_(threads),
        source_(refs[index(values.source)]),
        given_weight_(refs[index(values.weight)]),
        made_(refs[index(values.made)]),
        scratch_(scratch),
        weight_(std::move(weight)),
        epilogue_(std::move(epilogue)) {
    if (values.bias) bias_ = refs[index(*values.bias)];
  }

  static int64_t scratch_bytes(const Im2colForm& form, int threads, bool packed) {
    const GroupPartition partition = partition_of(form, threads);
    const int64_t inputs = partition.whole ? partition.parts : 1;
    const int64_t weight = packed ? 0 : form.convolution().groups * form.weight_count();
    return (lines(weight) + inputs * input_lines(form) +
            partition.parts * lines(form.part_count())) *
           int64_t{sizeof(float)};
  }

  void run(const BufferTable& buffers) const override {
    const int64_t groups = form_.convolution().images * form_.convolution().groups;
    if (groups * form_.convolution().outputs == 0) return;
    const int64_t inputs = input_lines(form_), work = lines(form_.part_count());
    auto* scratch = buffers.write<float>(scratch_);
    const auto* weight = reinterpret_cast<const float*>(weight_.get());
    if (!weight) {
      pack(buffers, scratch);
      weight = scratch;
      scratch += lines(form_.convolution().groups * form_.weight_count());
    }
    if (!sharing_.whole) {
      for (int64_t i = 0; i < groups; ++i) {
        run_shared(buffers, i, {weight, scratch, scratch + inputs}, work);
      }
      return;
    }
    each_part([&](int64_t part) {
      float* own = scratch + part * (inputs + work);
      const int64_t end = groups * (part + 1) / sharing_.parts;
      for (int64_t i = groups * part / sharing_.parts; i < end; ++i) {
        const Memory memory{weight, own, own + inputs};
        transform(buffers, i, {0, form_.convolution().inputs}, memory);
        form_.multiply(operands(buffers, i, memory, true), {});
      }
    });
  }

 private:
  struct Memory {
    const float* weight;
    float *input, *work;
  };

  static GroupPartition partition_of(const Im2colForm& form, int threads) {
    const int64_t groups = form.convolution().images * form.convolution().groups;
    return partition_groups(form.work() * static_cast<double>(groups), groups, threads);
  }

  static int64_t lines(int64_t count) {
    constexpr int64_t line = 16;
    return (count + line - 1) / line * line;
  }
  static int64_t input_lines(const Im2colForm& form) {
    return lines(up(form.input_count() * int64_t{sizeof(uint16_t)}, int64_t{sizeof(float)}));
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(static_cast<int>(sharing_.parts), threads_, what);
  }

  void pack(const BufferTable& buffers, float* to) const {
    const int64_t panels = form_.panels(), count = panels * form_.convolution().groups;
    each_part([&](int64_t part) {
      for (int64_t i = count * part / sharing_.parts; i < count * (part + 1) / sharing_.parts;
           ++i) {
        transform_panel(form_, buffers.read<uint16_t>(given_weight_), i, to);
      }
    });
  }

  void run_shared(const BufferTable& buffers, int64_t i, const Memory& memory, int64_t work) const {
    const Convolution& c = form_.convolution();
    const WindowPart cut = form_.cut(sharing_.parts);
    const auto own = [&](int64_t part) {
      return Memory{memory.weight, memory.input, memory.work + part * work};
    };
    if (!form_.in_place()) {
      each_part([&](int64_t part) {
        transform(buffers, i, WindowPart{part, cut.parts}.share(c.inputs), own(part));
      });
    }
    const bool runs_epilogue = form_.runs_epilogue(cut);
    each_part([&](int64_t part) {
      form_.multiply(operands(buffers, i, own(part), runs_epilogue),
                     {part, cut.parts, cut.of_rows});
    });
    if (!epilogue_ || runs_epilogue) return;
    const int64_t plane = c.height.output * c.width.output;
    each_part([&](int64_t part) {
      const auto [first, last] = WindowPart{part, cut.parts}.share(c.outputs);
      epilogue(buffers, i).run({.begin = first * plane, .size = (last - first) * plane});
    });
  }

  const uint16_t* source(const BufferTable& buffers, int64_t i) const {
    const Convolution& c = form_.convolution();
    return buffers.read<uint16_t>(source_) + i * c.inputs * c.height.input * c.width.input;
  }

  void transform(const BufferTable& buffers, int64_t i, WindowPart::Range channels,
                 const Memory& memory) const {
    form_.transform_input(source(buffers, i), channels.first, channels.last, memory.work,
                          reinterpret_cast<uint16_t*>(memory.input));
  }

  Epilogue epilogue(const BufferTable& buffers, int64_t i) const {
    return Epilogue(epilogue_.get(), &buffers, made_before(i));
  }

  int64_t made_before(int64_t i) const {
    const Convolution& c = form_.convolution();
    return i * c.outputs * c.height.output * c.width.output;
  }

  PanelOperandsOf<uint16_t> operands(const BufferTable& buffers, int64_t i, const Memory& memory,
                                     bool runs_epilogue) const {
    const Convolution& c = form_.convolution();
    const int64_t group = i % c.groups;
    return {.input = form_.in_place() ? source(buffers, i)
                                      : reinterpret_cast<const uint16_t*>(memory.input),
            .weight = memory.weight + group * form_.weight_count(),
            .bias = bias_ ? buffers.read<float>(*bias_) + group * c.outputs : nullptr,
            .work = memory.work,
            .made = buffers.write<float>(made_) + made_before(i),
            .epilogue = runs_epilogue ? epilogue(buffers, i) : Epilogue()};
  }

  Im2colForm form_;
  GroupPartition sharing_;
  int threads_;
  BufferRef source_, given_weight_, made_, scratch_;
  std::optional<BufferRef> bias_;
  PackedWeights::Bytes weight_;            // null: packed in each run
  std::unique_ptr<ElementStep> epilogue_;  // null: no epilogue
};

}  // namespace

StepDescriptor lower_im2col(const LoweringContext& context, const Convolution& convolution,
                            const ConvolutionValues& values) {
  const Im2colForm form(convolution);
  PackedWeights::Bytes weight;
  if (context.packed.find(values.weight)) {
    weight = context.packed.pack(
        values.weight, {PackedLayout::im2col, convolution.groups}, [&](const Tensor& tensor) {
          const int64_t count = convolution.groups * form.weight_count();
          auto bytes = context.packed.allocate(count * int64_t{sizeof(float)});
          const Tensor host = tensor.host();
          const auto* from = static_cast<const uint16_t*>(host.raw_data());
          const auto panels = static_cast<int>(convolution.groups * form.panels());
          ThreadPool::shared().run(panels, context.config.threads, [&](int panel) {
            transform_panel(form, from, panel, reinterpret_cast<float*>(bytes.get()));
          });
          return bytes;
        });
  }
  StepDescriptor descriptor{
      .reads = {values.source},
      .writes = {values.made},
      .scratch_bytes = Im2colStep::scratch_bytes(form, context.config.threads, weight != nullptr)};
  if (!weight) descriptor.reads.push_back(values.weight);
  if (values.bias) descriptor.reads.push_back(*values.bias);
  descriptor.make_with_epilogue = [=, threads = context.config.threads](
                                      const BufferRefs& refs, BufferRef scratch,
                                      std::unique_ptr<ElementStep> epilogue) {
    return std::make_unique<Im2colStep>(form, threads, values, refs, scratch, weight,
                                        std::move(epilogue));
  };
  descriptor.make = [make = descriptor.make_with_epilogue](const BufferRefs& refs,
                                                           BufferRef scratch) {
    return make(refs, scratch, nullptr);
  };
  return descriptor;
}

}  // namespace mithril::cpu_backend
