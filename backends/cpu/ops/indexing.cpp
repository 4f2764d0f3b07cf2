#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {
namespace {

// `count` indices, int32 or int64, along an axis of `size` elements. Negative ones count from the
// end.
struct Indices {
  BufferRef place;
  DType dtype;
  int64_t count, size;

  Indices at(BufferRef other) const { return {other, dtype, count, size}; }

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
    const Index* index = buffers.read<Index>(place);
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

// The input, around the axis: a row is what one index selects.
struct Gathering {
  int64_t outer, size, row_bytes;
};

struct GatheringBuffers {
  BufferRef from, to;
};

// `reference` runs `eval`.
std::unique_ptr<Step> gathering_step(const Gathering& g, const Indices& indices, int threads,
                                     GatheringBuffers refs, std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const auto* from = buffers.read<std::byte>(refs.from);
    auto* to = buffers.write<std::byte>(refs.to);
    const int64_t count = indices.count, rows = g.outer * count, bytes = g.row_bytes;
    const bool fits = indices.visit(buffers, [&](const auto& index) {
      const Work work{.amount = rows * bytes, .pieces = rows, .grain_size = 1 << 19};
      run_ranges(work, threads, [&](int64_t first, int64_t last, int) {
        for (int64_t row = first; row < last; ++row) {
          const int64_t source = row / count * g.size + index(row % count);
          std::memcpy(to + row * bytes, from + source * bytes, static_cast<size_t>(bytes));
        }
      });
    });
    if (!fits) reference->run(buffers);
  });
}

struct Placing {
  std::vector<Axis> axes;  // of the source; steps of the output, 0 along the axis of the indices
  int64_t size = 1, step = 1;  // of the output along the axis of the indices
  int64_t count = 0;           // number of elements of the source
  int64_t bytes = 0;           // of the output
};

struct PlacingBuffers {
  BufferRef input, source, output;
};

// Element: an integer of the size of the elements. `reference` runs `eval`.
template <typename Element>
std::unique_ptr<Step> placing_step(const Placing& p, const Indices& indices, PlacingBuffers refs,
                                   std::unique_ptr<Step> reference) {
  return make_step([=, reference = std::move(reference)](const BufferTable& buffers) {
    const Element* input = buffers.read<Element>(refs.input);
    const Element* source = buffers.read<Element>(refs.source);
    Element* output = buffers.write<Element>(refs.output);
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

Placing placing_of(const ShapedGraph& shaped, ValueId source, ValueId made, int64_t axis) {
  const Dims &whole = shaped.dims(made), &part = shaped.dims(source);
  const AroundAxis around(whole, axis);
  Placing placing{.size = around.size,
                  .step = around.inner,
                  .count = shaped.count(source),
                  .bytes = shaped.bytes(made)};
  const size_t chosen = axis_index(axis, whole.size());
  int64_t step = 1;
  for (size_t i = whole.size(); i-- > 0; step *= whole[i]) {
    placing.axes.insert(placing.axes.begin(), {part[i], i == chosen ? 0 : step});
  }
  return placing;
}

// A tile of the output, which stays in the first-level cache until its epilogue has run.
constexpr int64_t tile_bytes = 16384;
// In elements of the output.
constexpr int64_t scattering_grain_size = 1 << 15;

struct Scattering {
  int64_t outer = 1, size = 1, inner = 1;  // of the output, around the axis
  int64_t count = 0;                       // number of indices
  int64_t bytes = 0;                       // of the output
};

// A row of the input, and the row of the output that it is added to.
struct AddedRow {
  int64_t to, from;
};

int64_t bytes_of_rows(const Scattering& s) {
  return round_up(s.outer * s.count * int64_t{sizeof(AddedRow)}, 64);
}

template <typename T>
struct Scatter {
  Scattering s;
  Indices indices;
  int threads;
  BufferRef input, output, scratch;
  std::unique_ptr<Step> reference;        // runs `eval`
  std::unique_ptr<ElementStep> epilogue;  // null: none

  static constexpr int64_t tile = tile_bytes / int64_t{sizeof(T)};

  void operator()(const BufferTable& buffers) const {
    if (!sort_rows(buffers)) return refuse(buffers);
    const int64_t total = s.outer * s.size * s.inner, tiles = up(total, tile);
    const Work work{.amount = total, .pieces = tiles, .grain_size = scattering_grain_size};
    run_ranges(work, threads, [&](int64_t begin, int64_t end, int task) {
      bool zeros = false;  // the tile of this task holds zeros
      for (int64_t at = begin; at < end; ++at) {
        zeros = make_tile(buffers, at * tile, std::min(total, (at + 1) * tile), task, zeros);
      }
    });
  }

  // Sorts the rows by output row, then by input row. False: an index is out of range.
  bool sort_rows(const BufferTable& buffers) const {
    return indices.visit(buffers, [&](const auto& index) {
      auto* rows = buffers.write<AddedRow>(scratch);
      for (int64_t from = 0; from < s.outer * s.count; ++from) {
        rows[from] = {from / s.count * s.size + index(from % s.count), from};
      }
      std::sort(rows, rows + s.outer * s.count, [](const AddedRow& a, const AddedRow& b) {
        return a.to != b.to ? a.to < b.to : a.from < b.from;
      });
    });
  }

  bool is_in_tiles() const { return output.base == BufferRef::tile; }

  void refuse(const BufferTable& buffers) const {
    if (!is_in_tiles()) return reference->run(buffers);
    const auto memory = std::make_unique<std::byte[]>(static_cast<size_t>(s.bytes));
    reference->run(buffers.with_tile(memory.get()));
  }

  // Computes the elements [first, last) of the output, and runs the epilogue. `zeros`: the tile
  // holds zeros before. Returns whether it holds zeros afterwards.
  bool make_tile(const BufferTable& buffers, int64_t first, int64_t last, int task,
                 bool zeros) const {
    BufferRef own = scratch;
    own.offset += bytes_of_rows(s) + task * tile_bytes;
    T* to = is_in_tiles() ? buffers.write<T>(own) : buffers.write<T>(output) + first;
    if (!zeros) std::fill(to, to + (last - first), T{});
    const bool added = add_rows(buffers, first, last, to);
    if (!epilogue) return false;
    const ElementRows made{.begin = first, .size = last - first};
    if (!is_in_tiles()) {
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
    const auto* rows = buffers.read<AddedRow>(scratch);
    const T* from = buffers.read<T>(input);
    const AddedRow* end = rows + s.outer * s.count;
    const AddedRow* row =
        std::lower_bound(rows, end, first / s.inner,
                         [](const AddedRow& at, int64_t wanted) { return at.to < wanted; });
    const AddedRow* const begun = row;
    for (; row != end && row->to * s.inner < last; ++row) {
      const int64_t origin = row->to * s.inner;
      const int64_t begin = std::max(first, origin), stop = std::min(last, origin + s.inner);
      const T* added = from + row->from * s.inner - origin;
      for (int64_t i = begin; i < stop; ++i) to[i - first] += added[i];
    }
    return row != begun;
  }
};

Scattering scattering_of(const ShapedGraph& shaped, ValueId index, ValueId made, int64_t axis) {
  const AroundAxis around(shaped.dims(made), axis);
  return {.outer = around.outer,
          .size = around.size,
          .inner = around.inner,
          .count = shaped.count(index),
          .bytes = shaped.bytes(made)};
}

}  // namespace

std::optional<StepDescriptor> lower_gathering(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto from = call.tensor(0), index = call.tensor(1);
  const ValueId to = call.made();
  if (!from || !index || shaped.dtype(*from) != shaped.dtype(to)) return std::nullopt;
  if (shaped.count(to) == 0) return std::nullopt;
  const AroundAxis around(shaped.dims(*from), call.value(2).integer());
  const Gathering gathering{around.outer, around.size,
                            around.inner * static_cast<int64_t>(size_of(shaped.dtype(*from)))};
  const Indices indices{{}, shaped.dtype(*index), shaped.count(*index), around.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.make = [=, threads = call.threads(), from = *from, index = *index,
                     reference = std::move(descriptor.make)](const BufferRefs& refs,
                                                             BufferRef scratch) {
    return gathering_step(gathering, indices.at(refs[mithril::index(index)]), threads,
                          {refs[mithril::index(from)], refs[mithril::index(to)]},
                          reference(refs, scratch));
  };
  return descriptor;
}

std::optional<StepDescriptor> lower_placing(const KernelCall& call) {
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
  const Placing placing = placing_of(shaped, *source, made, call.value(3).integer());
  const Indices indices{{}, index_dtype, placing.count, placing.size};
  StepDescriptor descriptor = evaluated(shaped, call.at);
  descriptor.in_place_pairs = {{made, *input}};
  descriptor.make = [=, input = *input, index = *index, source = *source,
                     reference = std::move(descriptor.make)](const BufferRefs& refs,
                                                             BufferRef scratch) {
    const PlacingBuffers at{refs[mithril::index(input)], refs[mithril::index(source)],
                            refs[mithril::index(made)]};
    const auto step = bytes == 4 ? placing_step<uint32_t> : placing_step<uint64_t>;
    return step(placing, indices.at(refs[mithril::index(index)]), at, reference(refs, scratch));
  };
  return descriptor;
}

std::optional<StepDescriptor> lower_scattering(const KernelCall& call) {
  const ShapedGraph& shaped = call.shaped;
  const auto from = call.tensor(0), index = call.tensor(1);
  const ValueId made = call.made();
  const DType dtype = shaped.dtype(made);
  if (!from || !index || shaped.dtype(*from) != dtype || shaped.count(made) == 0)
    return std::nullopt;
  if (dtype != DType::float32 && dtype != DType::float64) return std::nullopt;
  if (shaped.dtype(*index) != DType::int64 && shaped.dtype(*index) != DType::int32) {
    return std::nullopt;
  }
  const Scattering scattering = scattering_of(shaped, *index, made, call.value(3).integer());
  const Indices indices{{}, shaped.dtype(*index), scattering.count, scattering.size};
  const auto make = [=, threads = call.threads(), from = *from, at = *index,
                     reference = evaluated(shaped, call.at).make](
                        const BufferRefs& refs, BufferRef scratch,
                        std::unique_ptr<ElementStep> epilogue) {
    const auto step = [&]<typename T>(T) -> std::unique_ptr<Step> {
      return make_step(Scatter<T>{scattering, indices.at(refs[mithril::index(at)]), threads,
                                  refs[mithril::index(from)], refs[mithril::index(made)], scratch,
                                  reference(refs, scratch), std::move(epilogue)});
    };
    return dtype == DType::float32 ? step(float{}) : step(double{});
  };
  return StepDescriptor{.reads = {*from, *index},
                        .writes = {made},
                        .scratch_bytes = bytes_of_rows(scattering) + call.threads() * tile_bytes,
                        .make = [make](const BufferRefs& refs,
                                       BufferRef scratch) { return make(refs, scratch, nullptr); },
                        .make_with_epilogue = make,
                        .makes_tiles = true};
}

}  // namespace mithril::cpu_backend
