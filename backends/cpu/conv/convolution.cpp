#include "backends/cpu/conv/convolution.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "backends/cpu/conv/bf16_convolution.hpp"
#include "backends/cpu/conv/im2col.hpp"
#include "backends/cpu/conv/implicit_gemm.hpp"
#include "backends/cpu/conv/nchwc_convolution.hpp"
#include "backends/cpu/conv/panel_convolution.hpp"
#include "backends/cpu/conv/window_attributes.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

template <typename T>
class ConvolutionStep final : public Step {
 public:
  ConvolutionStep(ImplicitGemmForm form, const ImplicitGemmKernels<T>& kernels, int threads,
                  const ConvolutionValues& values, const BufferRefs& refs, BufferRef scratch,
                  PackedWeights::Bytes packed, std::unique_ptr<ElementStep> epilogue)
      : form_(std::move(form)),
        kernels_(kernels),
        tiles_(tiles_of(form_)),
        sharing_(partition_of(form_, threads)),
        threads_(threads),
        source_(refs[index(values.source)]),
        weight_(refs[index(values.weight)]),
        made_(refs[index(values.made)]),
        scratch_(scratch),
        packed_(std::move(packed)),
        epilogue_(std::move(epilogue)) {
    if (values.bias) bias_ = refs[index(*values.bias)];
    if (packed_) return;
    const int64_t most = rows_at_once(form_, threads);
    for (int64_t row = 0; most < form_.rows && row < form_.rows; row += most) {
      rounds_.push_back(round_of(form_, row, most));
    }
  }

  static ImplicitGemmTiles tiles_of(const ImplicitGemmForm& form) {
    return {form, implicit_gemm_kernels<T>().mr, implicit_gemm_kernels<T>().nr};
  }

  // Bytes of scratch memory: padded planes, and the packed weight if it is not bound.
  static int64_t scratch_bytes(const ImplicitGemmForm& form, int threads, bool packed) {
    const ImplicitGemmTiles tiles = tiles_of(form);
    const GroupPartition partition = partition_of(form, threads);
    const int64_t regions = partition.whole ? partition.parts : 1;
    int64_t weight = 0;
    if (!packed) {
      const Round first = round_of(form, 0, rows_at_once(form, threads));
      weight = packed_space(first.form, first.tiles);
    }
    return (weight + regions * tiles.planes_count(form)) * int64_t{sizeof(T)};
  }

  void run(const BufferTable& buffers) const override {
    const int64_t groups = form_.images * form_.groups;
    if (groups * form_.rows * form_.made_plane() == 0) return;
    if (!rounds_.empty()) return run_rounds(buffers);
    T* planes = buffers.write<T>(scratch_);
    const auto* weight = reinterpret_cast<const T*>(packed_.get());
    if (!weight) {
      weight = planes;
      pack(buffers, planes);
      planes += packed_space(form_, tiles_);
    }
    if (!sharing_.whole) {
      for (int64_t i = 0; i < groups; ++i) run_shared(buffers, i, weight, planes);
      return;
    }
    each_part([&](int64_t part) {
      T* own = planes + part * tiles_.planes_count(form_);
      const int64_t end = groups * (part + 1) / sharing_.parts;
      for (int64_t i = groups * part / sharing_.parts; i < end; ++i) {
        pad_planes(buffers, i, 0, form_.channels, own);
        run_implicit_gemm(operands(buffers, i, weight, own), {});
      }
    });
  }

 private:
  static GroupPartition partition_of(const ImplicitGemmForm& form, int threads) {
    return partition_groups(form.work(), form.images * form.groups, threads);
  }

  // A range of output channels that runs by itself, so that all ranges share the memory for the
  // packed weight.
  struct Round {
    int64_t row;  // the first
    ImplicitGemmForm form;
    ImplicitGemmTiles tiles;
  };

  static Round round_of(const ImplicitGemmForm& form, int64_t row, int64_t most) {
    ImplicitGemmForm part = form;
    part.rows = std::min(most, form.rows - row);
    const ImplicitGemmTiles tiles = tiles_of(part);
    return {row, std::move(part), tiles};
  }

  // Output channels in a round, if the weight is packed in each run: all of them if there are
  // several images, groups or GEMMs, or if the packed weight is small.
  static int64_t rows_at_once(const ImplicitGemmForm& form, int threads) {
    constexpr int64_t bytes_at_once = 1 << 20;
    const ImplicitGemmTiles tiles = tiles_of(form);
    const int64_t bytes = tiles.packed_count(form) * int64_t{sizeof(T)};
    if (form.images * form.groups > 1 || form.products.size() > 1 || bytes <= bytes_at_once) {
      return form.rows;
    }
    const int64_t fitting = bytes_at_once / (bytes / tiles.count);
    return std::max<int64_t>(fitting, threads) * tiles.mr;
  }

  void run_rounds(const BufferTable& buffers) const {
    T* weight = buffers.write<T>(scratch_);
    T* planes = weight + packed_space(rounds_.front().form, rounds_.front().tiles);
    pad_shared(buffers, 0, planes);
    for (const Round& round : rounds_) {
      each_part([&](int64_t part) {
        const auto [first, last] = WindowPart{part, sharing_.parts}.share(round.tiles.count);
        pack_weight(round.form, round.tiles, buffers.read<T>(weight_) + round.row * form_.row_step,
                    first, last, weight);
      });
      ImplicitGemmOperands<T> operands{
          .form = round.form,
          .tiles = round.tiles,
          .kernels = kernels_,
          .planes = form_.in_place ? source_of(buffers, 0) : planes,
          .weight = weight,
          .start = bias_ ? buffers.read<T>(*bias_) + round.row : nullptr,
          .made = buffers.write<T>(made_) + round.row * form_.made_plane(),
          .epilogue = Epilogue(epilogue_.get(), &buffers, round.row * form_.made_plane())};
      const WindowPart cut = cut_implicit_gemm(round.form, round.tiles, sharing_.parts);
      each_part([&](int64_t part) { run_implicit_gemm(operands, {part, cut.parts, cut.of_rows}); });
    }
  }

  // In elements, rounded up so that the planes after it start at a cache line.
  static int64_t packed_space(const ImplicitGemmForm& form, const ImplicitGemmTiles& tiles) {
    constexpr int64_t line = 16;
    return (tiles.packed_count(form) + line - 1) / line * line;
  }

  template <typename Do>
  void each_part(const Do& what) const {
    ThreadPool::shared().run(static_cast<int>(sharing_.parts), threads_, what);
  }

  void pack(const BufferTable& buffers, T* packed) const {
    const int64_t tiles = form_.groups * tiles_.count;
    each_part([&](int64_t part) {
      pack_weight(form_, tiles_, buffers.read<T>(weight_), tiles * part / sharing_.parts,
                  tiles * (part + 1) / sharing_.parts, packed);
    });
  }

  void pad_shared(const BufferTable& buffers, int64_t i, T* planes) const {
    if (form_.in_place) return;
    each_part([&](int64_t part) {
      pad_planes(buffers, i, form_.channels * part / sharing_.parts,
                 form_.channels * (part + 1) / sharing_.parts, planes);
    });
  }

  void run_shared(const BufferTable& buffers, int64_t i, const T* weight, T* planes) const {
    pad_shared(buffers, i, planes);
    const WindowPart cut = cut_implicit_gemm(form_, tiles_, sharing_.parts);
    each_part([&](int64_t part) {
      run_implicit_gemm(operands(buffers, i, weight, planes), {part, cut.parts, cut.of_rows});
    });
  }

  // i counts the groups of all images.
  const T* source_of(const BufferTable& buffers, int64_t i) const {
    return buffers.read<T>(source_) + i * form_.channels * form_.source_plane();
  }

  void pad_planes(const BufferTable& buffers, int64_t i, int64_t first, int64_t last,
                  T* planes) const {
    if (form_.in_place) return;
    cpu_backend::pad_planes(form_, source_of(buffers, i), first, last, planes);
  }

  ImplicitGemmOperands<T> operands(const BufferTable& buffers, int64_t i, const T* weight,
                                   const T* planes) const {
    const int64_t group = i % form_.groups;
    return {.form = form_,
            .tiles = tiles_,
            .kernels = kernels_,
            .planes = form_.in_place ? source_of(buffers, i) : planes,
            .weight = weight + group * tiles_.packed_group(form_),
            .start = bias_ ? buffers.read<T>(*bias_) + group * form_.rows : nullptr,
            .made = buffers.write<T>(made_) + i * form_.rows * form_.made_plane(),
            .epilogue = Epilogue(epilogue_.get(), &buffers, i * form_.rows * form_.made_plane())};
  }

  ImplicitGemmForm form_;
  const ImplicitGemmKernels<T>& kernels_;
  ImplicitGemmTiles tiles_;
  GroupPartition sharing_;
  int threads_;
  BufferRef source_, weight_, made_, scratch_;
  std::optional<BufferRef> bias_;
  PackedWeights::Bytes packed_;
  std::unique_ptr<ElementStep> epilogue_;  // null: no epilogue
  std::vector<Round> rounds_;              // empty: all rows at once
};

template <typename T>
PackedWeights::Bytes packed_weight(const LoweringContext& context, const ImplicitGemmForm& form,
                                   ValueId weight) {
  if (!context.packed.find(weight) || form.work() == 0) return nullptr;
  return context.packed.pack(
      weight, {PackedLayout::implicit_gemm, form.groups}, [&](const Tensor& tensor) {
        const ImplicitGemmTiles tiles = ConvolutionStep<T>::tiles_of(form);
        auto bytes = context.packed.allocate(tiles.packed_count(form) * int64_t{sizeof(T)});
        const Tensor host = tensor.host();
        std::vector<T> pairs;
        if constexpr (std::is_same_v<T, float>) {
          if (host.dtype() == DType::bfloat16) pairs = paired_weight(host);
        }
        const T* from = pairs.empty() ? host.data<T>() : pairs.data();
        const auto parts = static_cast<int>(form.groups * tiles.count);
        ThreadPool::shared().run(parts, context.config.threads, [&](int part) {
          pack_weight(form, tiles, from, part, part + 1, reinterpret_cast<T*>(bytes.get()));
        });
        return bytes;
      });
}

template <typename T>
StepDescriptor convolution_descriptor(
    const LoweringContext& context, const Convolution& convolution, const ConvolutionValues& values,
    bool backwards, const ImplicitGemmKernels<T>& kernels = implicit_gemm_kernels<T>()) {
  const int64_t nr = kernels.nr;
  const ImplicitGemmForm form =
      backwards ? input_gradient_form(convolution, nr) : output_form(convolution, nr);
  const PackedWeights::Bytes packed =
      backwards ? nullptr : packed_weight<T>(context, form, values.weight);
  StepDescriptor descriptor{.reads = {values.source},
                            .writes = {values.made},
                            .scratch_bytes = ConvolutionStep<T>::scratch_bytes(
                                form, context.config.threads, packed != nullptr)};
  if (!packed) descriptor.reads.push_back(values.weight);
  if (values.bias) descriptor.reads.push_back(*values.bias);
  const auto make = [=, &kernels, threads = context.config.threads](
                        const BufferRefs& refs, BufferRef scratch,
                        std::unique_ptr<ElementStep> epilogue) {
    return std::make_unique<ConvolutionStep<T>>(form, kernels, threads, values, refs, scratch,
                                                packed, std::move(epilogue));
  };
  descriptor.make = [make](const BufferRefs& refs, BufferRef scratch) {
    return make(refs, scratch, nullptr);
  };
  if (!backwards) descriptor.make_with_epilogue = make;
  return descriptor;
}

bool are_bfloat16(const ShapedGraph& shaped, const ConvolutionValues& values) {
  const bool both = shaped.dtype(values.source) == DType::bfloat16 &&
                    shaped.dtype(values.weight) == DType::bfloat16;
  return both && shaped.dtype(values.made) == DType::float32 &&
         (!values.bias || shaped.dtype(*values.bias) == DType::float32);
}

// In float32, convolutions are faster in the blocked layout even if both sides have to be
// converted, if they have more than one tap, or if panels of implicit GEMM would be filled too
// little.
bool gains_from_blocks(const LoweringContext& context, const NchwcConvolution& in_blocks,
                       const ConvolutionValues& values) {
  const ShapedGraph& shaped = context.shaped;
  const Convolution& c = in_blocks.convolution;
  if (shaped.is_in_blocks(values.source) || shaped.is_in_blocks(values.made)) return true;
  if (in_blocks.kernels->of_pairs()) return false;
  const int64_t plane = c.height.output * c.width.output, nr = implicit_gemm_kernels<float>().nr;
  return c.height.kernel * c.width.kernel > 1 || 8 * up(plane, nr) * nr >= 9 * plane;
}

}  // namespace

std::optional<StepDescriptor> lower_convolution(const LoweringContext& context, size_t node,
                                                const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, node, call);
  const bool backwards = call.text == "convolution_input_grad";
  const auto source = reader.tensor(0), weight = reader.tensor(backwards ? 2 : 1);
  if (!source || !weight) return std::nullopt;
  const ValueId made = shaped.node(node).outputs.front();
  const ConvolutionValues values{*source, *weight, made,
                                 backwards ? std::nullopt : reader.tensor(2)};
  const DType dtype = shaped.dtype(made);
  const auto convolution =
      convolution_of(reader, 3, shaped.dims(backwards ? made : *source), shaped.dims(*weight),
                     shaped.dims(backwards ? *source : made));
  if (!convolution) return std::nullopt;
  if (const auto in_blocks = nchwc_convolution_for(context, node);
      in_blocks && gains_from_blocks(context, *in_blocks, values)) {
    return lower_nchwc_convolution(context, *in_blocks, values);
  }
  const BFloat16Kernels* pairs = context.config.bfloat16_products ? bfloat16_kernels() : nullptr;
  if (pairs && !backwards && convolution->inputs > 0 && are_bfloat16(shaped, values)) {
    const int64_t taps = convolution->height.kernel * convolution->width.kernel;
    if (suits_im2col(convolution->outputs, convolution->inputs * taps)) {
      return lower_im2col(context, *convolution, values);
    }
    return lower_bf16_convolution(context, *convolution, values,
                                  convolution_descriptor<float>(context, in_pairs(*convolution),
                                                                values, false, pairs->windows));
  }
  for (const ValueId read : {*source, *weight, values.bias.value_or(*weight)}) {
    if (shaped.dtype(read) != dtype) return std::nullopt;
  }
  if (dtype == DType::float32) {
    return convolution_descriptor<float>(context, *convolution, values, backwards);
  }
  if (dtype == DType::float64) {
    return convolution_descriptor<double>(context, *convolution, values, backwards);
  }
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
