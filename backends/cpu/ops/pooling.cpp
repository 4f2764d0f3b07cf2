#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/kernels/pool_kernels.hpp"
#include "backends/cpu/ops/pool_form.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

enum class Pooling { average, largest, largest_placed };

template <typename T>
class PoolStep final : public Step {
 public:
  PoolStep(PoolForm form, Pooling pooling, int threads, BufferRef input, BufferRef output,
           BufferRef places, BufferRef scratch)
      : form_(std::move(form)),
        pooling_(pooling),
        threads_(threads),
        input_(input),
        output_(output),
        places_(places),
        scratch_(scratch) {}

  void run(const BufferTable& buffers) const override {
    run_ranges(work(form_), threads_, [&](int64_t first, int64_t last, int64_t task) {
      auto* places = buffers.write<PoolIndex<T>>(scratch_) + task * form_.width.output;
      for (int64_t row = first; row < last; ++row) {
        form_.block > 1 ? run_row_of_blocks(buffers, row) : run_row(buffers, row, places);
      }
    });
  }

  static int64_t scratch_bytes(const PoolForm& form, Pooling pooling, int threads) {
    if (pooling != Pooling::largest_placed) return 0;
    return task_count(work(form), threads) * form.width.output * int64_t{sizeof(PoolIndex<T>)};
  }

 private:
  static Work work(const PoolForm& form) {
    return {.amount = form.planes * form.block * form.output_plane() * form.taps(),
            .pieces = form.planes * form.height.output,
            .grain_size = 1 << 15};
  }

  void run_row(const BufferTable& buffers, int64_t row, PoolIndex<T>* places) const {
    const int64_t columns = form_.width.output, step = form_.width.stride;
    const T* input = buffers.read<T>(input_) + row / form_.height.output * form_.input_plane();
    T* to = buffers.write<T>(output_) + row * columns;
    const bool average = pooling_ == Pooling::average;
    std::fill_n(to, columns, average ? T{} : -std::numeric_limits<T>::infinity());
    if (pooling_ == Pooling::largest_placed) std::fill_n(places, columns, PoolIndex<T>{-1});
    form_.each_run(row % form_.height.output, [&](const PoolForm::Run& run, int64_t from) {
      const PoolRun<T> taken{input + from, step, run.count};
      if (average) {
        kernels_.sum(taken, to + run.begin);
      } else if (pooling_ == Pooling::largest) {
        kernels_.largest(taken, to + run.begin);
      } else {
        kernels_.largest_placed(taken, static_cast<PoolIndex<T>>(from), to + run.begin,
                                places + run.begin);
      }
    });
    if (average) {
      for (int64_t i = 0; i < columns; ++i) to[i] /= static_cast<T>(form_.taps());
    } else if (pooling_ == Pooling::largest_placed) {
      std::copy_n(places, columns, buffers.write<int64_t>(places_) + row * columns);
    }
  }

  // Runs adjacent windows that are inside the input in their width with one call.
  void run_row_of_blocks(const BufferTable& buffers, int64_t row) const {
    const WindowAxis &height = form_.height, &width = form_.width;
    const int64_t block = form_.block;
    const T* plane = buffers.read<T>(input_) + row / height.output * form_.input_plane() * block;
    T* to = buffers.write<T>(output_) + row * width.output * block;
    const int64_t y = row % height.output;
    const PoolForm::Taps rows = PoolForm::taps_of(height, y);
    const int64_t first_row = y * height.stride - height.before + rows.first * height.dilation;
    for (int64_t x = 0; x < width.output;) {
      const PoolForm::Taps columns = PoolForm::taps_of(width, x);
      int64_t end = x + 1;
      while (columns.count == width.kernel && end < width.output &&
             PoolForm::taps_of(width, end).count == width.kernel) {
        ++end;
      }
      const int64_t first = x * width.stride - width.before + columns.first * width.dilation;
      const PoolBlocks<T> windows{.from = plane + (first_row * width.input + first) * block,
                                  .rows = rows.count,
                                  .columns = columns.count,
                                  .row_step = height.dilation * width.input * block,
                                  .column_step = width.dilation * block,
                                  .count = end - x,
                                  .step = width.stride * block,
                                  .block = block,
                                  .divisor = static_cast<T>(form_.taps()),
                                  .to = to + x * block};
      pooling_ == Pooling::average ? kernels_.mean_of_blocks(windows)
                                   : kernels_.largest_of_blocks(windows);
      x = end;
    }
  }

  PoolForm form_;
  const PoolKernels<T>& kernels_ = pool_kernels<T>();
  Pooling pooling_;
  int threads_;
  BufferRef input_, output_, places_, scratch_;
};

template <typename T>
StepDescriptor pool_descriptor(const LoweringContext& context, const PoolForm& form,
                               Pooling pooling, ValueId input,
                               const std::vector<ValueId>& outputs) {
  const bool placed = pooling == Pooling::largest_placed;
  StepDescriptor descriptor{
      .reads = {input},
      .writes = outputs,
      .scratch_bytes = PoolStep<T>::scratch_bytes(form, pooling, context.config.threads)};
  if (!placed) descriptor.writes.resize(1);
  descriptor.make = [=, threads = context.config.threads, made = descriptor.writes](
                        const BufferRefs& refs, BufferRef scratch) {
    return std::make_unique<PoolStep<T>>(form, pooling, threads, refs[index(input)],
                                         refs[index(made.front())], refs[index(made.back())],
                                         scratch);
  };
  return descriptor;
}

}  // namespace

std::optional<StepDescriptor> lower_pooling(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const std::vector<ValueId>& outputs = call.node().outputs;
  const auto input = call.tensor(0);
  if (!input || shaped.dtype(*input) != shaped.dtype(outputs.front())) return std::nullopt;
  auto form = pool_form(call, 1, shaped.dims(*input), shaped.dims(outputs.front()));
  if (!form || form->input_plane() > std::numeric_limits<int32_t>::max()) return std::nullopt;
  if (shaped.is_in_blocks(*input) || shaped.is_in_blocks(outputs.front())) {
    const Dims in_blocks = dims_in_blocks(shaped.dims(*input), shaped.channels_of_block());
    form->block = in_blocks[4];
    form->planes = in_blocks[0] * in_blocks[1];
  }
  Pooling pooling = Pooling::average;
  if (call.name() == "max_pool") {
    pooling =
        call.context.use_counts[index(outputs[1])] > 0 ? Pooling::largest_placed : Pooling::largest;
  }
  return lower_floats(shaped.dtype(*input), [&]<typename T>(T) {
    return pool_descriptor<T>(call.context, *form, pooling, *input, outputs);
  });
}

}  // namespace mithril::cpu_backend
