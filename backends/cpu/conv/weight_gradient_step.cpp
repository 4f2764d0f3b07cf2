#include "backends/cpu/conv/weight_gradient_step.hpp"

#include <algorithm>
#include <utility>

#include "backends/cpu/conv/weight_gradient.hpp"
#include "backends/cpu/conv/window_attributes.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

struct WeightGradValues {
  ValueId gradient, input, made;
};

template <typename T>
class WeightStep final : public Step {
 public:
  WeightStep(WeightGradientForm form, int threads, const WeightGradValues& values,
             const BufferRefs& refs, BufferRef scratch)
      : form_(std::move(form)),
        sharing_(partition_of(form_, threads)),
        threads_(threads),
        gradient_(refs[index(values.gradient)]),
        input_(refs[index(values.input)]),
        made_(refs[index(values.made)]),
        scratch_(scratch) {}

  static WeightGradientForm form_of(const Convolution& convolution) {
    return {convolution, implicit_gemm_kernels<T>().mr, implicit_gemm_kernels<T>().nr};
  }
  static int64_t scratch_bytes(const WeightGradientForm& form, int threads) {
    const GroupPartition partition = partition_of(form, threads);
    return (partition.whole ? partition.parts : 1) * region(form) * int64_t{sizeof(T)};
  }

  void run(const BufferTable& buffers) const override {
    const Convolution& c = form_.convolution();
    T* regions = buffers.write<T>(scratch_);
    if (!sharing_.whole) {
      for (int64_t group = 0; group < c.groups; ++group) run_group(buffers, group, regions, true);
      return;
    }
    ThreadPool::shared().run(static_cast<int>(sharing_.parts), threads_, [&](int64_t part) {
      T* own = regions + part * region(form_);
      const int64_t end = c.groups * (part + 1) / sharing_.parts;
      for (int64_t group = c.groups * part / sharing_.parts; group < end; ++group) {
        run_group(buffers, group, own, false);
      }
    });
  }

 private:
  static GroupPartition partition_of(const WeightGradientForm& form, int threads) {
    const Convolution& c = form.convolution();
    const double each = static_cast<double>(c.outputs) * static_cast<double>(form.columns()) *
                        static_cast<double>(form.places());
    return partition_groups(each * static_cast<double>(c.images * c.groups), c.groups, threads);
  }

  // The workspace of one group: its sums and their totals, its packed gradient and its padded
  // input, each aligned to a cache line.
  static int64_t lines(int64_t count) {
    constexpr int64_t line = 16;
    return (count + line - 1) / line * line;
  }
  static int64_t region(const WeightGradientForm& form) {
    const int64_t sums = has_totals(form) ? 2 : 1;
    return sums * lines(form.sum_count()) + lines(form.packed_count()) + lines(form.padded_count());
  }

  // The number of images that one sum covers. For more images the sums are added to totals.
  static int64_t images_of_a_sum(const WeightGradientForm& form) {
    return std::max<int64_t>(longest_sum / std::max<int64_t>(form.places(), 1), 1);
  }
  static bool has_totals(const WeightGradientForm& form) {
    return form.convolution().images > images_of_a_sum(form);
  }

  // Calls what(part) for all parts of the work on one group.
  template <typename Do>
  void each_part(bool shared, const Do& what) const {
    if (!shared) return what(GemmPart{});
    ThreadPool::shared().run(static_cast<int>(sharing_.parts), threads_, [&](int64_t part) {
      what(GemmPart{part, sharing_.parts, false});
    });
  }

  void run_group(const BufferTable& buffers, int64_t group, T* sums, bool shared) const {
    const Convolution& c = form_.convolution();
    const int64_t images = images_of_a_sum(form_);
    T* totals = has_totals(form_) ? sums + lines(form_.sum_count()) : sums;
    T* packed = totals + lines(form_.sum_count());
    T* padded = packed + lines(form_.packed_count());
    const int64_t plane = c.height.input * c.width.input;
    const bool of_rows = form_.cut(sharing_.parts).of_rows;
    T* made =
        buffers.write<T>(made_) + group * c.outputs * c.inputs * c.height.kernel * c.width.kernel;
    for (int64_t image = 0; image < c.images; ++image) {
      const int64_t at = image * c.groups + group;
      const T* input = buffers.read<T>(input_) + at * c.inputs * plane;
      const T* gradient = buffers.read<T>(gradient_) + at * c.outputs * form_.places();
      each_part(shared, [&](const GemmPart& part) {
        const auto [first, last] = part.share(form_.rows());
        form_.pad(input, first, last, padded);
        const auto [tile, last_tile] = part.share(form_.tiles());
        form_.pack(gradient, tile, last_tile, packed);
      });
      each_part(shared, [&](GemmPart part) {
        part.of_rows = of_rows;
        form_.multiply(implicit_gemm_kernels<T>(), packed, padded, image % images > 0, part, sums);
      });
      const bool ends = (image + 1) % images == 0 || image + 1 == c.images;
      if (totals == sums || !ends) continue;
      each_part(shared, [&](const GemmPart& part) {
        const auto [first, last] = part.share(form_.sum_count());
        if (image < images) {
          std::copy(sums + first, sums + last, totals + first);
        } else {
          for (int64_t i = first; i < last; ++i) totals[i] += sums[i];
        }
      });
    }
    if (c.images * form_.places() == 0) {
      std::fill_n(totals, form_.sum_count(), T{});
    }
    form_.finish(totals, made);
  }

  WeightGradientForm form_;
  GroupPartition sharing_;
  int threads_;
  BufferRef gradient_, input_, made_, scratch_;
};

template <typename T>
StepDescriptor weight_gradient_descriptor(const LoweringContext& context,
                                          const Convolution& convolution,
                                          const WeightGradValues& values) {
  const WeightGradientForm form = WeightStep<T>::form_of(convolution);
  return {.reads = {values.gradient, values.input},
          .writes = {values.made},
          .scratch_bytes = WeightStep<T>::scratch_bytes(form, context.config.threads),
          .make = [=, threads = context.config.threads](const BufferRefs& refs, BufferRef scratch) {
            return std::make_unique<WeightStep<T>>(form, threads, values, refs, scratch);
          }};
}

}  // namespace

std::optional<StepDescriptor> lower_convolution_weight(const LoweringContext& context, size_t node,
                                                       const SpelledExpression& call) {
  const ShapedGraph& shaped = context.shaped;
  const CallReader reader(shaped, node, call);
  const auto gradient = reader.tensor(0), input = reader.tensor(1);
  if (!gradient || !input) return std::nullopt;
  const WeightGradValues values{*gradient, *input, shaped.node(node).outputs.front()};
  const DType dtype = shaped.dtype(values.made);
  if (shaped.dtype(*gradient) != dtype || shaped.dtype(*input) != dtype) return std::nullopt;
  const auto convolution = convolution_of(reader, 3, shaped.dims(*input), shaped.dims(values.made),
                                          shaped.dims(*gradient));
  if (!convolution) return std::nullopt;
  if (dtype == DType::float32)
    return weight_gradient_descriptor<float>(context, *convolution, values);
  if (dtype == DType::float64)
    return weight_gradient_descriptor<double>(context, *convolution, values);
  return std::nullopt;
}

}  // namespace mithril::cpu_backend
