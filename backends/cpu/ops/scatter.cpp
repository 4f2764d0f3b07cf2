#include "backends/cpu/ops/lower_ops.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/ops/indices.hpp"
#include "backends/cpu/runtime/broadcast_iteration.hpp"
#include "backends/cpu/runtime/work_partition.hpp"

namespace mithril::cpu_backend {
namespace {

// A tile of the output, which stays in the first-level cache until its epilogue has run.
constexpr int64_t tile_bytes = 16384;
// In elements of the output.
constexpr int64_t scattering_grain_size = 1 << 15;

struct Scattering {
  int64_t outer = 1, size = 1, inner = 1;  // of the output, around the axis
  int64_t count = 0;                       // number of indices
  int64_t bytes = 0;                       // of the output
};

struct ScatteringBuffers {
  BufferRef from, to, scratch;
};

// A row of the input, and the row of the output that it is added to.
struct AddedRow {
  int64_t to, from;
};

int64_t bytes_of_rows(const Scattering& s) {
  return round_up(s.outer * s.count * int64_t{sizeof(AddedRow)}, 64);
}

template <typename T>
class ScatteringStep final : public Step {
 public:
  // `reference` runs `eval`.
  ScatteringStep(const Scattering& scattering, const Indices& indices, int threads,
                 ScatteringBuffers refs, std::unique_ptr<Step> reference,
                 std::unique_ptr<ElementStep> epilogue)
      : s_(scattering),
        indices_(indices),
        threads_(threads),
        refs_(refs),
        reference_(std::move(reference)),
        epilogue_(std::move(epilogue)) {}

  void run(const BufferTable& buffers) const override {
    if (!sort_rows(buffers)) return refuse(buffers);
    const int64_t total = s_.outer * s_.size * s_.inner, tiles = up(total, tile);
    const Work work{.amount = total, .pieces = tiles, .grain_size = scattering_grain_size};
    run_ranges(work, threads_, [&](int64_t begin, int64_t end, int task) {
      bool zeros = false;  // the tile of this task holds zeros
      for (int64_t at = begin; at < end; ++at) {
        zeros = make_tile(buffers, at * tile, std::min(total, (at + 1) * tile), task, zeros);
      }
    });
  }

 private:
  static constexpr int64_t tile = tile_bytes / int64_t{sizeof(T)};

  // Sorts the rows by output row, then by input row. False: an index is out of range.
  bool sort_rows(const BufferTable& buffers) const {
    return indices_.visit(buffers, [&](const auto& index) {
      auto* rows = buffers.write<AddedRow>(refs_.scratch);
      for (int64_t from = 0; from < s_.outer * s_.count; ++from) {
        rows[from] = {from / s_.count * s_.size + index(from % s_.count), from};
      }
      std::sort(rows, rows + s_.outer * s_.count, [](const AddedRow& a, const AddedRow& b) {
        return a.to != b.to ? a.to < b.to : a.from < b.from;
      });
    });
  }

  bool is_in_tiles() const { return refs_.to.base == BufferRef::tile; }

  void refuse(const BufferTable& buffers) const {
    if (!is_in_tiles()) return reference_->run(buffers);
    const auto memory = std::make_unique<std::byte[]>(static_cast<size_t>(s_.bytes));
    reference_->run(buffers.with_tile(memory.get()));
  }

  // Computes the elements [first, last) of the output, and runs the epilogue. `zeros`: the tile
  // holds zeros before. Returns whether it holds zeros afterwards.
  bool make_tile(const BufferTable& buffers, int64_t first, int64_t last, int task,
                 bool zeros) const {
    BufferRef own = refs_.scratch;
    own.offset += bytes_of_rows(s_) + task * tile_bytes;
    T* to = is_in_tiles() ? buffers.write<T>(own) : buffers.write<T>(refs_.to) + first;
    if (!zeros) std::fill(to, to + (last - first), T{});
    const bool added = add_rows(buffers, first, last, to);
    if (!epilogue_) return false;
    const ElementRows made{.begin = first, .size = last - first};
    if (!is_in_tiles()) {
      epilogue_->run_rows(buffers, made);
      return false;
    }
    // The epilogue counts elements from the beginning of the output.
    auto* origin = reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(to) -
                                                static_cast<uintptr_t>(first) * sizeof(T));
    epilogue_->run_rows(buffers.with_tile(origin), made);
    return !added;
  }

  bool add_rows(const BufferTable& buffers, int64_t first, int64_t last, T* to) const {
    const auto* rows = buffers.read<AddedRow>(refs_.scratch);
    const T* from = buffers.read<T>(refs_.from);
    const AddedRow* end = rows + s_.outer * s_.count;
    const AddedRow* row =
        std::lower_bound(rows, end, first / s_.inner,
                         [](const AddedRow& at, int64_t wanted) { return at.to < wanted; });
    const AddedRow* const begun = row;
    for (; row != end && row->to * s_.inner < last; ++row) {
      const int64_t origin = row->to * s_.inner;
      const int64_t begin = std::max(first, origin), stop = std::min(last, origin + s_.inner);
      const T* added = from + row->from * s_.inner - origin;
      for (int64_t i = begin; i < stop; ++i) to[i - first] += added[i];
    }
    return row != begun;
  }

  Scattering s_;
  Indices indices_;
  int threads_;
  ScatteringBuffers refs_;
  std::unique_ptr<Step> reference_;
  std::unique_ptr<ElementStep> epilogue_;  // null: none
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
    const ScatteringBuffers all{refs[mithril::index(from)], refs[mithril::index(made)], scratch};
    const auto step = [&]<typename T>(T) -> std::unique_ptr<Step> {
      return std::make_unique<ScatteringStep<T>>(scattering, indices.at(refs[mithril::index(at)]),
                                                 threads, all, reference(refs, scratch),
                                                 std::move(epilogue));
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
