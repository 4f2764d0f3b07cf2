#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/kernels/pool_kernels.hpp"
#include "backends/cpu/ops/lower_ops.hpp"
#include "backends/cpu/ops/pool_form.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

struct PoolingGradBuffers {
  BufferRef gradient, input, made, scratch;
  std::optional<BufferRef> places;
};

// Adds the gradient of each output to the elements that it was computed from. Each task computes
// whole planes.
template <typename T>
class PoolGradStep final : public Step {
 public:
  PoolGradStep(PoolForm form, bool of_largest, int threads, const PoolingGradBuffers& refs)
      : form_(std::move(form)), of_largest_(of_largest), refs_(refs), threads_(threads) {}

  // Of max pooling without the places of the maxima.
  static int64_t scratch_bytes(const PoolForm& form, int threads) {
    const int64_t parts = task_count(work(form), threads);
    return parts * form.width.output * int64_t{sizeof(T) + sizeof(PoolIndex<T>)};
  }

  void run(const BufferTable& buffers) const override {
    run_ranges(work(form_), threads_, [&](int64_t first, int64_t last, int64_t task) {
      for (int64_t plane = first; plane < last; ++plane) {
        T* made = buffers.write<T>(refs_.made) + plane * form_.input_plane();
        std::fill_n(made, form_.input_plane(), T{});
        for (int64_t row = 0; row < form_.height.output; ++row) {
          const int64_t at = (plane * form_.height.output + row) * form_.width.output;
          const T* gradient = buffers.read<T>(refs_.gradient) + at;
          if (!of_largest_) {
            add_shares(row, gradient, made);
          } else if (refs_.places) {
            add(gradient, buffers.read<int64_t>(*refs_.places) + at, made);
          } else {
            add_to_largest(buffers, plane, row, task, gradient, made);
          }
        }
      }
    });
  }

 private:
  static Work work(const PoolForm& form) {
    return {.amount = form.planes * (form.input_plane() + form.output_plane()),
            .pieces = form.planes,
            .grain_size = 1 << 14};
  }

  void add_shares(int64_t row, const T* gradient, T* made) const {
    const auto taps = static_cast<T>(form_.taps());
    const int64_t step = form_.width.stride;
    form_.each_run(row, [&](const PoolForm::Run& run, int64_t from) {
      for (int64_t i = 0; i < run.count; ++i) {
        made[from + i * step] += gradient[run.begin + i] / taps;
      }
    });
  }

  void add_to_largest(const BufferTable& buffers, int64_t plane, int64_t row, int64_t task,
                      const T* gradient, T* made) const {
    const int64_t columns = form_.width.output;
    T* best = buffers.write<T>(refs_.scratch) + 2 * task * columns;
    auto* places = reinterpret_cast<PoolIndex<T>*>(best + columns);
    const T* input = buffers.read<T>(refs_.input) + plane * form_.input_plane();
    std::fill_n(best, columns, -std::numeric_limits<T>::infinity());
    std::fill_n(places, columns, PoolIndex<T>{-1});
    form_.each_run(row, [&](const PoolForm::Run& run, int64_t from) {
      pool_kernels<T>().largest_placed({input + from, form_.width.stride, run.count},
                                       static_cast<PoolIndex<T>>(from), best + run.begin,
                                       places + run.begin);
    });
    add(gradient, places, made);
  }

  // Ignores positions outside the plane: a window of padding alone has none, and users may pass
  // any.
  template <typename At>
  void add(const T* gradient, const At* places, T* made) const {
    for (int64_t i = 0; i < form_.width.output; ++i) {
      const int64_t at = places[i];
      if (at >= 0 && at < form_.input_plane()) made[at] += gradient[i];
    }
  }

  PoolForm form_;
  bool of_largest_;
  PoolingGradBuffers refs_;
  int threads_;
};

struct PoolingGradValues {
  ValueId gradient, input, made;
  std::optional<ValueId> places;
};

template <typename T>
StepDescriptor pool_grad_descriptor(const LoweringContext& context, const PoolForm& form,
                                    bool of_largest, const PoolingGradValues& values) {
  StepDescriptor descriptor{.reads = {values.gradient}, .writes = {values.made}};
  if (values.places) descriptor.reads.push_back(*values.places);
  if (of_largest && !values.places) {
    descriptor.reads.push_back(values.input);
    descriptor.scratch_bytes = PoolGradStep<T>::scratch_bytes(form, context.config.threads);
  }
  descriptor.make = [=, threads = context.config.threads](const BufferRefs& refs,
                                                          BufferRef scratch) {
    PoolingGradBuffers at{refs[index(values.gradient)], refs[index(values.input)],
                          refs[index(values.made)], scratch, std::nullopt};
    if (values.places) at.places = refs[index(*values.places)];
    return std::make_unique<PoolGradStep<T>>(form, of_largest, threads, at);
  };
  return descriptor;
}

}  // namespace

std::optional<StepDescriptor> lower_pooling_grad(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const bool of_largest = call.name() == "max_pool_grad";
  const ValueId made = call.made();
  const auto gradient = call.tensor(0), input = call.tensor(1);
  if (!gradient || !input) return std::nullopt;
  const DType dtype = shaped.dtype(made);
  if (shaped.dtype(*gradient) != dtype) return std::nullopt;
  if (of_largest && shaped.dtype(*input) != dtype) return std::nullopt;
  const auto form = pool_form(call, of_largest ? 3 : 2, shaped.dims(made), shaped.dims(*gradient));
  if (!form || form->input_plane() > std::numeric_limits<int32_t>::max()) return std::nullopt;
  const PoolingGradValues values{*gradient, *input, made,
                                 of_largest ? call.tensor(2) : std::nullopt};
  return lower_floats(dtype, [&]<typename T>(T) {
    return pool_grad_descriptor<T>(call.context, *form, of_largest, values);
  });
}

}  // namespace mithril::cpu_backend
