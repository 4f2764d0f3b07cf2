#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/cpu/descriptors/reference_steps.hpp"
#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {
namespace {

// `count` indices, int32 or int64, along an axis of `size` elements. Negative ones count from the
// end.
struct Indices {
  ValueId id;
  DType dtype;
  int64_t count, size;

  // Calls body(at), where at(i) is index i, from 0 to size - 1. If an index is out of range,
  // returns false instead: the `eval` of the op then raises the error.
  template <typename Body>
  bool visit(const BufferTable& buffers, const Body& body) const {
    return dtype == DType::int64 ? visit_as<int64_t>(buffers, body)
                                 : visit_as<int32_t>(buffers, body);
  }

 private:
  template <typename Index, typename Body>
  bool visit_as(const BufferTable& buffers, const Body& body) const {
    const Index* index = buffers.read<Index>(id);
    const bool fits =
        std::all_of(index, index + count, [&](Index at) { return at >= -size && at < size; });
    if (fits) {
      body([index, size = size](int64_t i) {
        const auto at = static_cast<int64_t>(index[i]);
        return at < 0 ? at + size : at;
      });
    }
    return fits;
  }
};

// Copies the row that each index selects. `reference` runs `eval`.
std::unique_ptr<Step> gather_step(const AxisView& around, int64_t row_bytes, const Indices& indices,
                                  int threads, ValueId input, ValueId output,
                                  std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const auto* from = buffers.read<std::byte>(input);
    auto* to = buffers.write<std::byte>(output);
    const int64_t count = indices.count, rows = around.outer * count;
    const bool fits = indices.visit(buffers, [&](const auto& index) {
      const Work work{.amount = rows * row_bytes, .pieces = rows, .grain_size = 1 << 19};
      run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
        for (int64_t row = first; row < last; ++row) {
          const int64_t source = row / count * around.size + index(row % count);
          std::memcpy(to + row * row_bytes, from + source * row_bytes,
                      static_cast<size_t>(row_bytes));
        }
      });
    });
    if (!fits) reference->run(buffers);
  });
}

struct ScatterArguments {
  std::vector<Axis> axes;  // of the source; steps of the output, 0 along the axis of the indices
  int64_t size = 1, step = 1;  // of the output along the axis of the indices
  int64_t count = 0;           // number of elements of the source
  int64_t bytes = 0;           // of the output
  ValueId input, source, output;
};

// Element: an integer of the size of the elements. `reference` runs `eval`.
template <typename Element>
std::unique_ptr<Step> scatter_step(const ScatterArguments& p, const Indices& indices,
                                   std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const Element* input = buffers.read<Element>(p.input);
    const Element* source = buffers.read<Element>(p.source);
    Element* output = buffers.write<Element>(p.output);
    const bool fits = indices.visit(buffers, [&](const auto& index) {
      if (output != input) std::memcpy(output, input, static_cast<size_t>(p.bytes));
      const Axis row = p.axes.back();
      for (int64_t first = 0; first < p.count; first += row.size) {
        const int64_t origin = offset(p.axes, first);
        for (int64_t i = 0; i < row.size; ++i) {
          output[origin + i * row.step + index(first + i) * p.step] = source[first + i];
        }
      }
    });
    if (!fits) reference->run(buffers);
  });
}

ScatterArguments scatter_arguments(const ShapedGraph& shaped, ValueId input, ValueId source,
                                   ValueId made, int64_t axis) {
  const Dims &whole = shaped.dims(made), &part = shaped.dims(source);
  const AxisView around = AxisView::along(whole, axis);
  ScatterArguments arguments{.size = around.size,
                             .step = around.inner,
                             .count = shaped.count(source),
                             .bytes = shaped.bytes(made),
                             .input = input,
                             .source = source,
                             .output = made};
  arguments.axes = axes_of(whole);
  for (size_t i = 0; i < whole.size(); ++i) arguments.axes[i].size = part[i];
  arguments.axes[axis_of(axis, whole.size())].step = 0;
  return arguments;
}

// A tile of the output, which stays in the first-level cache until its epilogue has run.
constexpr int64_t tile_bytes = 16384;
// In elements of the output.
constexpr int64_t scatter_add_grain_size = 1 << 15;

// A row of the input, and the row of the output that it is added to.
struct AddedRow {
  int64_t to, from;
};

template <typename T>
class ScatterAddStep final : public TiledStep {
 public:
  // `around`: the axis of the output. `reference` runs `eval`.
  ScatterAddStep(const AxisView& around, const Indices& indices, int threads, ValueId input,
                 ValueId output, std::unique_ptr<Step> reference)
      : around_(around),
        indices_(indices),
        threads_(threads),
        input_(input),
        output_(output),
        reference_(std::move(reference)) {}

  int64_t scratch_bytes() const override { return bytes_of_rows() + threads_ * tile_bytes; }

  void run(const BufferTable& buffers) const override {
    if (!sort_rows(buffers)) return refuse(buffers);
    const int64_t total = count(), tiles = up(total, tile);
    const Work work{.amount = total, .pieces = tiles, .grain_size = scatter_add_grain_size};
    run_ranges(work, threads_, [&](int64_t begin, int64_t end, int task) {
      bool zeros = false;  // the tile of this task holds zeros
      for (int64_t at = begin; at < end; ++at) {
        zeros = make_tile(buffers, at * tile, std::min(total, (at + 1) * tile), task, zeros);
      }
    });
  }

 private:
  static constexpr int64_t tile = tile_bytes / int64_t{sizeof(T)};

  int64_t count() const { return around_.outer * around_.size * around_.inner; }  // of the output
  int64_t rows() const { return around_.outer * indices_.count; }                 // of the input
  int64_t bytes_of_rows() const { return round_up(rows() * int64_t{sizeof(AddedRow)}, 64); }

  // Sorts the rows by output row, then by input row. False: an index is out of range.
  bool sort_rows(const BufferTable& buffers) const {
    return indices_.visit(buffers, [&](const auto& index) {
      auto* rows = buffers.scratch<AddedRow>();
      const int64_t count = indices_.count;
      for (int64_t from = 0; from < this->rows(); ++from) {
        rows[from] = {from / count * around_.size + index(from % count), from};
      }
      std::sort(rows, rows + this->rows(), [](const AddedRow& a, const AddedRow& b) {
        return a.to != b.to ? a.to < b.to : a.from < b.from;
      });
    });
  }

  void refuse(const BufferTable& buffers) const {
    if (!buffers.has_tile(output_)) return reference_->run(buffers);
    const auto memory = std::make_unique<T[]>(static_cast<size_t>(count()));
    reference_->run(buffers.with_tile(reinterpret_cast<std::byte*>(memory.get())));
  }

  // Computes the elements [first, last) of the output, and runs the epilogue. `zeros`: the tile
  // holds zeros before. Returns whether it holds zeros afterwards.
  bool make_tile(const BufferTable& buffers, int64_t first, int64_t last, int task,
                 bool zeros) const {
    const bool in_tiles = buffers.has_tile(output_);
    auto* const own = buffers.scratch<std::byte>() + bytes_of_rows() + task * tile_bytes;
    T* to = in_tiles ? reinterpret_cast<T*>(own) : buffers.write<T>(output_) + first;
    if (!zeros) std::fill(to, to + (last - first), T{});
    const bool added = add_rows(buffers, first, last, to);
    if (!epilogue) return false;
    const ElementRows made{.begin = first, .size = last - first};
    if (!in_tiles) {
      epilogue->run_rows(buffers, made);
      return false;
    }
    // The epilogue counts elements from the beginning of the output.
    auto* origin = reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(to) -
                                                static_cast<uintptr_t>(first) * sizeof(T));
    epilogue->run_rows(buffers.with_tile(origin), made);
    return !added;
  }

  bool add_rows(const BufferTable& buffers, int64_t first, int64_t last, T* to) const {
    const auto* rows = buffers.scratch<AddedRow>();
    const T* from = buffers.read<T>(input_);
    const AddedRow* end = rows + this->rows();
    const AddedRow* row =
        std::lower_bound(rows, end, first / around_.inner,
                         [](const AddedRow& at, int64_t wanted) { return at.to < wanted; });
    const AddedRow* const begun = row;
    for (; row != end && row->to * around_.inner < last; ++row) {
      const int64_t origin = row->to * around_.inner;
      const int64_t begin = std::max(first, origin), stop = std::min(last, origin + around_.inner);
      const T* added = from + row->from * around_.inner - origin;
      for (int64_t i = begin; i < stop; ++i) to[i - first] += added[i];
    }
    return row != begun;
  }

  AxisView around_;
  Indices indices_;
  int threads_;
  ValueId input_, output_;
  std::unique_ptr<Step> reference_;
};

}  // namespace

std::optional<StepDescriptor> lower_gather(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto from = call.tensor(0), index = call.tensor(1);
  const ValueId to = call.made();
  if (!from || !index || shaped.dtype(*from) != shaped.dtype(to)) return std::nullopt;
  if (shaped.count(to) == 0) return std::nullopt;
  const AxisView around = AxisView::along(shaped.dims(*from), call.value(2).integer());
  const Indices indices{*index, shaped.dtype(*index), shaped.count(*index), around.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.step =
      gather_step(around, around.inner * static_cast<int64_t>(size_of(shaped.dtype(*from))),
                  indices, call.threads(), *from, to, std::move(descriptor.step));
  return descriptor;
}

std::optional<StepDescriptor> lower_scatter(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto input = call.tensor(0), index = call.tensor(1), source = call.tensor(2);
  const ValueId made = call.made();
  if (!input || !index || !source || call.value(4).text() != "set") return std::nullopt;
  const DType dtype = shaped.dtype(made);
  if (shaped.dtype(*input) != dtype || shaped.dtype(*source) != dtype) return std::nullopt;
  if (shaped.count(made) == 0 || shaped.dims(made).empty()) return std::nullopt;
  const size_t bytes = size_of(dtype);
  if (bytes != 4 && bytes != 8) return std::nullopt;
  const DType index_dtype = shaped.dtype(*index);
  if (index_dtype != DType::int64 && index_dtype != DType::int32) return std::nullopt;
  const ScatterArguments arguments =
      scatter_arguments(shaped, *input, *source, made, call.value(3).integer());
  const Indices indices{*index, index_dtype, arguments.count, arguments.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.in_place_pairs = {{made, *input}};
  const auto step = bytes == 4 ? scatter_step<uint32_t> : scatter_step<uint64_t>;
  descriptor.step = step(arguments, indices, std::move(descriptor.step));
  return descriptor;
}

std::optional<StepDescriptor> lower_scatter_add(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto from = call.tensor(0), index = call.tensor(1);
  const ValueId made = call.made();
  const DType dtype = shaped.dtype(made);
  if (!from || !index || shaped.dtype(*from) != dtype || shaped.count(made) == 0)
    return std::nullopt;
  if (shaped.dtype(*index) != DType::int64 && shaped.dtype(*index) != DType::int32) {
    return std::nullopt;
  }
  const AxisView around = AxisView::along(shaped.dims(made), call.value(3).integer());
  const Indices indices{*index, shaped.dtype(*index), shaped.count(*index), around.size};
  return lower_floats(dtype, [&]<typename T>(T) {
    return StepDescriptor{
        .reads = {*from, *index},
        .writes = {made},
        .step = std::make_unique<ScatterAddStep<T>>(around, indices, call.threads(), *from, made,
                                                    evaluated(shaped, call.at).step),
        .takes_epilogue = true,
        .makes_tiles = true};
  });
}

}  // namespace mithril::cpu_backend
