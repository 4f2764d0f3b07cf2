#include "backends/cpu/conv/nchwc_convolution.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/conv/bf16_convolution.hpp"
#include "backends/cpu/conv/direct_nchwc.hpp"
#include "backends/cpu/conv/grouped_nchwc.hpp"
#include "backends/cpu/conv/window_attributes.hpp"
#include "backends/cpu/conv/winograd_nchwc.hpp"
#include "backends/cpu/descriptors/op_spellings.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// Form is DirectNchwc, WinogradNchwc or GroupedNchwc.
template <typename Form>
class NchwcStep final : public Step {
 public:
  NchwcStep(Form form, int64_t block, int threads, const ConvolutionValues& values, bool to_blocks,
            const BufferRefs& refs, BufferRef scratch, PackedWeights::Bytes weight,
            std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        block_(block),
        parts_(task_count(form_, threads)),
        threads_(threads),
        to_blocks_(to_blocks),
        source_(refs[index(values.source)]),
        made_(refs[index(values.made)]),
        scratch_(scratch),
        weight_(std::move(weight)),
        epilogue_(std::move(epilogue)) {
    if (values.bias) bias_ = refs[index(*values.bias)];
  }

  // Bytes of scratch memory: the padded source, the workspace of each part, the blocked result if
  // the destination is planar, and the bias if it does not fill whole blocks.
  static int64_t scratch_bytes(const Form& form, int64_t block, int threads, bool to_blocks) {
    const int64_t parts = task_count(form, threads), work = parts * part_lines(form, parts);
    const Convolution& c = form.convolution();
    const int64_t made = to_blocks ? 0 : made_count(c, block);
    return (lines(form.padded_count()) + work + made + up(c.output_channels(), block) * block) *
           int64_t{sizeof(float)};
  }

  void run(const BufferTable& buffers) const override {
    auto* padded = buffers.write<float>(scratch_);
    const auto* source = buffers.read<float>(source_);
    if (form_.padded_count() > 0) {
      each_part([&](int64_t part) {
        const auto [first, last] = WindowPart{part, parts_}.share(form_.padded_rows());
        form_.pad(source, first, last, padded);
      });
    }
    float* work = padded + lines(form_.padded_count());
    const int64_t own = part_lines(form_, parts_);
    float* planar = work + parts_ * own;
    auto* made = to_blocks_ ? buffers.write<float>(made_) : planar;
    const float* bias =
        whole_blocks(buffers, planar + (to_blocks_ ? 0 : made_count(form_.convolution(), block_)));
    const WindowPart cut = form_.cut(parts_);
    each_part([&](int64_t part) {
      form_.multiply({.input = form_.padded_count() > 0 ? padded : source,
                      .weight = reinterpret_cast<const float*>(weight_.get()),
                      .bias = bias,
                      .work = work + part * own,
                      .made = made,
                      .epilogue = to_blocks_ ? Epilogue(epilogue_.get(), &buffers) : Epilogue()},
                     {part, cut.parts, cut.of_rows});
    });
    if (to_blocks_) return;
    each_part([&](int64_t part) { rearrange(buffers, made, {part, parts_}); });
  }

 private:
  static int task_count(const Form& form, int threads) {
    return static_cast<int>(partition_groups(form.work(), 1, threads).parts);
  }
  static int64_t made_count(const Convolution& c, int64_t block) {
    return c.images * up(c.output_channels(), block) * block * c.height.output * c.width.output;
  }
  static int64_t part_lines(const Form& form, int64_t parts) {
    return lines(form.part_count(parts));
  }
  static int64_t lines(int64_t count) {
    constexpr int64_t line = 16;
    return (count + line - 1) / line * line;
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(parts_, threads_, what);
  }

  // The bias, padded to whole blocks of channels.
  const float* whole_blocks(const BufferTable& buffers, float* padded) const {
    if (!bias_) return nullptr;
    const auto* bias = buffers.read<float>(*bias_);
    const int64_t channels = form_.convolution().output_channels();
    if (channels % block_ == 0) return bias;
    std::fill(std::copy_n(bias, channels, padded), padded + up(channels, block_) * block_, 0.0f);
    return padded;
  }

  // Converts a part of the blocked result to NCHW, and runs the epilogue on it.
  void rearrange(const BufferTable& buffers, const float* made, const WindowPart& part) const {
    const Convolution& c = form_.convolution();
    const int64_t plane = c.height.output * c.width.output, channels = c.output_channels();
    const int64_t blocks = up(channels, block_);
    const auto [first, last] = part.share(c.images * blocks);
    for (int64_t i = first; i < last; ++i) {
      const int64_t channel = i % blocks * block_, count = std::min(block_, channels - channel);
      const int64_t begin = (i / blocks * channels + channel) * plane;
      gemm_kernels<float>().interleave({.from = made + i * plane * block_,
                                        .from_step = block_,
                                        .count = plane,
                                        .depth = count,
                                        .to = buffers.write<float>(made_) + begin,
                                        .to_step = plane});
      Epilogue(epilogue_.get(), &buffers).run({.begin = begin, .size = count * plane});
    }
  }

  Form form_;
  int64_t block_;  // channels in a block
  int parts_, threads_;
  bool to_blocks_;
  BufferRef source_, made_, scratch_;
  std::optional<BufferRef> bias_;
  PackedWeights::Bytes weight_;
  std::unique_ptr<ElementStep> epilogue_;  // null: no epilogue
};

template <typename Form>
StepDescriptor nchwc_descriptor(const LoweringContext& context, const Form& form, int64_t block,
                                const ConvolutionValues& values) {
  const PackedFormat format{form.layout(), form.convolution().groups};
  const PackedWeights::Bytes weight =
      context.packed.pack(values.weight, format, [&](const Tensor& tensor) {
        auto bytes = context.packed.allocate(form.weight_count() * int64_t{sizeof(float)});
        const Tensor host = tensor.host();
        std::vector<float> pairs;
        if (host.dtype() == DType::bfloat16) pairs = paired_weight(host);
        const float* from = pairs.empty() ? host.data<float>() : pairs.data();
        ThreadPool::shared().run(
            static_cast<int>(form.panels()), context.config.threads, [&](int panel) {
              form.transform_weight(from, panel, reinterpret_cast<float*>(bytes.get()));
            });
        return bytes;
      });
  const bool to_blocks = context.shaped.is_in_blocks(values.made);
  StepDescriptor descriptor{.reads = {values.source},
                            .writes = {values.made},
                            .scratch_bytes = NchwcStep<Form>::scratch_bytes(
                                form, block, context.config.threads, to_blocks)};
  if (values.bias) descriptor.reads.push_back(*values.bias);
  descriptor.make_with_epilogue = [=, threads = context.config.threads](
                                      const BufferRefs& refs, BufferRef scratch,
                                      std::unique_ptr<ElementStep> epilogue) {
    return std::make_unique<NchwcStep<Form>>(form, block, threads, values, to_blocks, refs, scratch,
                                             weight, std::move(epilogue));
  };
  descriptor.make = [make = descriptor.make_with_epilogue](const BufferRefs& refs,
                                                           BufferRef scratch) {
    return make(refs, scratch, nullptr);
  };
  return descriptor;
}

}  // namespace

std::optional<NchwcConvolution> nchwc_convolution_for(const LoweringContext& context, size_t node) {
  const ShapedGraph& shaped = context.shaped;
  const SpelledExpression* call = kernel_of(*shaped.node(node).op);
  if (!call || call->text != "convolution") return std::nullopt;
  const CallReader reader(shaped, node, *call);
  const auto source = reader.tensor(0), weight = reader.tensor(1), bias = reader.tensor(2);
  const ValueId made = shaped.node(node).outputs.front();
  if (!source || !weight || !context.packed.find(*weight)) return std::nullopt;
  const DType dtype = shaped.dtype(*source);
  const bool into_floats =
      shaped.dtype(made) == DType::float32 && (!bias || shaped.dtype(*bias) == DType::float32);
  if (!into_floats || shaped.dtype(*weight) != dtype) return std::nullopt;
  const auto convolution =
      convolution_of(reader, 3, shaped.dims(*source), shaped.dims(*weight), shaped.dims(made));
  if (!convolution) return std::nullopt;
  if (dtype == DType::float32) {
    const NchwcKernels& kernels = nchwc_kernels();
    if (!suits_direct_nchwc(*convolution, kernels) && !suits_grouped_nchwc(*convolution, kernels)) {
      return std::nullopt;
    }
    return NchwcConvolution{*convolution, &kernels};
  }
  const BFloat16Kernels* pairs = context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (dtype != DType::bfloat16 || !pairs || !suits_direct_nchwc(*convolution, pairs->blocks)) {
    return std::nullopt;
  }
  return NchwcConvolution{*convolution, &pairs->blocks};
}

StepDescriptor lower_nchwc_convolution(const LoweringContext& context,
                                       const NchwcConvolution& convolution,
                                       const ConvolutionValues& values) {
  const auto& [c, kernels] = convolution;
  const bool from_blocks = context.shaped.is_in_blocks(values.source);
  if (!suits_direct_nchwc(c, *kernels)) {
    return nchwc_descriptor(context, GroupedNchwc(c, from_blocks, *kernels), kernels->block,
                            values);
  }
  if (context.config.winograd && !kernels->of_pairs() && suits_winograd_nchwc(c)) {
    return nchwc_descriptor(context, WinogradNchwc(c, from_blocks), kernels->block, values);
  }
  return nchwc_descriptor(context, DirectNchwc(c, from_blocks, *kernels), kernels->block, values);
}

}  // namespace mithril::cpu_backend
