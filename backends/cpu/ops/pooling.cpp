#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/cpu/conv/geometry.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/kernels/pool_kernels.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

struct PoolForm {
  WindowAxis height, width;
  int64_t planes = 0;
  int64_t block = 1;  // elements of a position: the channels of a block in the blocked layout
  // A column of the window, along a row of outputs: `count` outputs from `begin` on read inside the
  // input. The first of them reads the input column `from`.
  struct Run {
    int64_t begin, count, from;
  };
  std::vector<Run> runs = {};  // of the window columns that read inside the input, in order
  Range whole = {0, 0};  // the outputs of a row whose windows are inside the input in their width

  int64_t input_plane() const { return height.input * width.input; }  // positions
  int64_t output_plane() const { return height.output * width.output; }
  int64_t taps() const { return height.kernel * width.kernel; }

  // Calls body(run, from) for each tap of the outputs of row `row`, in order. The first output of
  // the run reads element `from` of the input plane.
  template <typename Body>
  void each_run(int64_t row, Body body) const {
    for (int64_t tap = 0; tap < height.kernel; ++tap) {
      const int64_t y = height.at(row, tap);
      if (y < 0 || y >= height.input) continue;
      for (const Run& run : runs) body(run, y * width.input + run.from);
    }
  }
};

std::vector<PoolForm::Run> runs_of(const WindowAxis& axis) {
  std::vector<PoolForm::Run> runs;
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    const int64_t begin = axis.begin(tap), count = axis.end(tap) - begin;
    if (count > 0) runs.push_back({begin, count, axis.at(begin, tap)});
  }
  return runs;
}

// The outputs that read inside the input with all taps.
Range whole_of(const WindowAxis& axis) {
  const int64_t first = axis.begin(0);
  return {first, std::max(first, axis.end(axis.kernel - 1))};
}

// Joins short rows of a plane to rows of up to this many windows.
constexpr int64_t most_joined = 512;

// Joins rows, if each window has one row and lies in its own part of a row.
void join_rows(PoolForm& form) {
  WindowAxis &height = form.height, &width = form.width;
  const bool is_one_row = height.kernel == 1 && height.stride == 1 && height.before == 0 &&
                          height.output == height.input;
  const bool are_parts = width.before == 0 && width.output * width.stride == width.input &&
                         width.dilation * (width.kernel - 1) < width.stride;
  if (!is_one_row || !are_parts || width.output == 0) return;
  int64_t rows = std::min(height.output, most_joined / width.output);
  while (rows > 1 && height.output % rows != 0) --rows;
  if (rows <= 1) return;
  width.input *= rows;
  width.output *= rows;
  height.input = height.output = height.output / rows;
}

// The arguments of the call from `options` on are the kernel size, stride, padding and dilation.
// None if they do not fit the dims, which `eval` reports as an error.
std::optional<PoolForm> pool_form(const CallReader& reader, size_t options, const Dims& input,
                                  const Dims& output) {
  const Datum& kernel = reader.value(options);
  const Datum& stride = reader.value(options + 1);
  const WindowOptions moving{stride.is_none() ? kernel : stride, reader.value(options + 2),
                             reader.value(options + 3)};
  const auto axis = [&](size_t which) {
    return window_axis(moving, which, input, per_axis(kernel, which).integer(), output);
  };
  const auto height = axis(0), width = axis(1);
  if (!height || !width) return std::nullopt;
  PoolForm form{.height = *height, .width = *width, .planes = 1};
  join_rows(form);
  form.runs = runs_of(form.width);
  form.whole = whole_of(form.width);
  for (size_t i = 0; i + 2 < input.size(); ++i) form.planes *= input[i];
  return form;
}

// The largest element of each window of a row of outputs, and its index in the plane; -1: the
// window is padding alone.
template <typename T>
void find_largest(const PoolForm& form, const T* plane, int64_t row, T* best,
                  PoolIndex<T>* places) {
  std::fill_n(best, form.width.output, -std::numeric_limits<T>::infinity());
  std::fill_n(places, form.width.output, PoolIndex<T>{-1});
  form.each_run(row, [&](const PoolForm::Run& run, int64_t from) {
    pool_kernels<T>().largest_placed({plane + from, form.width.stride, run.count},
                                     static_cast<PoolIndex<T>>(from), best + run.begin,
                                     places + run.begin);
  });
}

enum class Pooling { average, largest, largest_placed };

template <typename T>
struct Pool {
  PoolForm form;
  Pooling pooling;
  int threads;
  ValueId input, output, places;
  const PoolKernels<T>& kernels = pool_kernels<T>();

  void operator()(const BufferTable& buffers) const {
    run_ranges(work(), threads, [&](int64_t first, int64_t last, int64_t task) {
      auto* row_places = buffers.scratch<PoolIndex<T>>() + task * form.width.output;
      for (int64_t row = first; row < last; ++row) {
        form.block > 1 ? run_row_of_blocks(buffers, row) : run_row(buffers, row, row_places);
      }
    });
  }

  int64_t scratch_bytes() const {
    if (pooling != Pooling::largest_placed) return 0;
    return task_count(work(), threads) * form.width.output * int64_t{sizeof(PoolIndex<T>)};
  }

  Work work() const {
    return {.amount = form.planes * form.block * form.output_plane() * form.taps(),
            .pieces = form.planes * form.height.output,
            .grain_size = 1 << 15};
  }

  void run_row(const BufferTable& buffers, int64_t row, PoolIndex<T>* row_places) const {
    const int64_t columns = form.width.output, y = row % form.height.output;
    const T* plane = buffers.read<T>(input) + row / form.height.output * form.input_plane();
    T* to = buffers.write<T>(output) + row * columns;
    if (pooling == Pooling::largest_placed) {
      find_largest(form, plane, y, to, row_places);
      std::copy_n(row_places, columns, buffers.write<int64_t>(places) + row * columns);
      return;
    }
    const bool average = pooling == Pooling::average;
    std::fill_n(to, columns, average ? T{} : -std::numeric_limits<T>::infinity());
    form.each_run(y, [&](const PoolForm::Run& run, int64_t from) {
      const auto kernel = average ? kernels.sum : kernels.largest;
      kernel({plane + from, form.width.stride, run.count}, to + run.begin);
    });
    for (int64_t i = 0; average && i < columns; ++i) to[i] /= static_cast<T>(form.taps());
  }

  // Runs adjacent windows that are inside the input in their width with one call.
  void run_row_of_blocks(const BufferTable& buffers, int64_t row) const {
    const WindowAxis &height = form.height, &width = form.width;
    const int64_t block = form.block;
    const T* plane = buffers.read<T>(input) + row / height.output * form.input_plane() * block;
    T* to = buffers.write<T>(output) + row * width.output * block;
    const int64_t y = row % height.output;
    const WindowAxis::Taps rows = height.taps_of(y);
    const int64_t first_row = height.at(y, rows.first);
    for (int64_t x = 0; x < width.output;) {
      const bool begins_whole = x == form.whole.first && form.whole.size() > 0;
      const int64_t end = begins_whole ? form.whole.last : x + 1;
      const WindowAxis::Taps columns =
          begins_whole ? WindowAxis::Taps{0, width.kernel} : width.taps_of(x);
      const int64_t first = width.at(x, columns.first);
      const PoolBlocks<T> windows{.from = plane + (first_row * width.input + first) * block,
                                  .rows = rows.count(),
                                  .columns = columns.count(),
                                  .row_step = height.dilation * width.input * block,
                                  .column_step = width.dilation * block,
                                  .count = end - x,
                                  .step = width.stride * block,
                                  .block = block,
                                  .divisor = static_cast<T>(form.taps()),
                                  .to = to + x * block};
      pooling == Pooling::average ? kernels.mean_of_blocks(windows)
                                  : kernels.largest_of_blocks(windows);
      x = end;
    }
  }
};

template <typename T>
StepDescriptor pool_descriptor(int threads, const PoolForm& form, Pooling pooling, ValueId input,
                               std::vector<ValueId> outputs) {
  if (pooling != Pooling::largest_placed) outputs.resize(1);
  return {
      .reads = {input},
      .writes = outputs,
      .step = make_step(Pool<T>{form, pooling, threads, input, outputs.front(), outputs.back()})};
}

// Adds the gradient of each output to the elements that it was computed from. Each task computes
// whole planes.
template <typename T>
struct PoolGrad {
  PoolForm form;
  bool of_largest;
  int threads;
  ValueId gradient, input, made;
  std::optional<ValueId> places;  // of the maxima

  int64_t scratch_bytes() const {
    if (!of_largest || places) return 0;
    const int64_t parts = task_count(work(), threads);
    return parts * form.width.output * int64_t{sizeof(T) + sizeof(PoolIndex<T>)};
  }

  void operator()(const BufferTable& buffers) const {
    run_ranges(work(), threads, [&](int64_t first, int64_t last, int64_t task) {
      for (int64_t plane = first; plane < last; ++plane) {
        T* to = buffers.write<T>(made) + plane * form.input_plane();
        std::fill_n(to, form.input_plane(), T{});
        for (int64_t row = 0; row < form.height.output; ++row) {
          const int64_t at = (plane * form.height.output + row) * form.width.output;
          const T* from = buffers.read<T>(gradient) + at;
          if (!of_largest) {
            add_shares(row, from, to);
          } else if (places) {
            add(from, buffers.read<int64_t>(*places) + at, to);
          } else {
            T* best = buffers.scratch<T>() + 2 * task * form.width.output;
            auto* best_at = reinterpret_cast<PoolIndex<T>*>(best + form.width.output);
            const T* x = buffers.read<T>(input) + plane * form.input_plane();
            find_largest(form, x, row, best, best_at);
            add(from, best_at, to);
          }
        }
      }
    });
  }

  Work work() const {
    return {.amount = form.planes * (form.input_plane() + form.output_plane()),
            .pieces = form.planes,
            .grain_size = 1 << 14};
  }

  void add_shares(int64_t row, const T* from, T* to) const {
    const auto taps = static_cast<T>(form.taps());
    const int64_t step = form.width.stride;
    form.each_run(row, [&](const PoolForm::Run& run, int64_t first) {
      for (int64_t i = 0; i < run.count; ++i) {
        to[first + i * step] += from[run.begin + i] / taps;
      }
    });
  }

  // Ignores positions outside the plane: a window of padding alone has none, and users may pass
  // any.
  template <typename At>
  void add(const T* from, const At* at, T* to) const {
    for (int64_t i = 0; i < form.width.output; ++i) {
      const int64_t place = at[i];
      if (place >= 0 && place < form.input_plane()) to[place] += from[i];
    }
  }
};

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
    return pool_descriptor<T>(call.threads(), *form, pooling, *input, outputs);
  });
}

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
  const auto places = of_largest ? call.tensor(2) : std::nullopt;
  std::vector<ValueId> reads{*gradient};
  if (of_largest) reads.push_back(places.value_or(*input));
  return lower_floats(dtype, [&]<typename T>(T) {
    return StepDescriptor{.reads = std::move(reads),
                          .writes = {made},
                          .step = make_step(PoolGrad<T>{*form, of_largest, call.threads(),
                                                        *gradient, *input, made, places})};
  });
}

}  // namespace mithril::cpu_backend
