// The step interface. Steps read and write buffers that memory planning has chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/clamp.hpp"
#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

enum class Direction : uint8_t { forward, backward };

// How a step traverses its buffers. small: it touches so few bytes that the caches keep most of
// their contents. forward: only from the front. either: from either end.
enum class Traversal : uint8_t { small, forward, either };

// Caches keep the data that was used last. A step that can start at either end therefore starts
// where the previous step ended. The first step of a run starts where the last step of the previous
// run ended.
class AlternatingTraversal {
 public:
  Direction next(Traversal traversal) {
    if (traversal == Traversal::small) return Direction::forward;
    const bool reverses = traversal == Traversal::either && last_ == Direction::forward;
    return last_ = reverses ? Direction::backward : Direction::forward;
  }

 private:
  Direction last_ = Direction::backward;
};

// The direction of run `n` of a loop in which each run reads the same data.
inline Direction alternating(int64_t n) {
  return n % 2 == 0 ? Direction::forward : Direction::backward;
}

// Calls body(i) for each i in [begin, end), in the given direction.
template <typename Body>
void iterate(Direction direction, int64_t begin, int64_t end, const Body& body) {
  if (direction == Direction::forward) {
    for (int64_t i = begin; i < end; ++i) body(i);
  } else {
    for (int64_t i = end; i-- > begin;) body(i);
  }
}

// The place of a value in memory: an offset in bytes from a base of the buffer table, or from the
// tile.
struct BufferRef {
  static constexpr int32_t tile = -1;  // as `base`: the tile
  int32_t base = 0;
  int64_t offset = 0;

  bool operator==(const BufferRef&) const = default;
};
using BufferRefs = std::vector<BufferRef>;  // by ValueId

class Exchanges;  // runtime/exchanges.hpp

// The addresses of values during a run of one step. Base 0 is the arena. The inputs of the graph
// follow, then its constants, then the outputs that the run allocates. The tile belongs to one
// thread: it holds the part of a value that this thread computed last. The whole value is never in
// memory.
class BufferTable {
 public:
  // `scratch`: the scratch memory of the step, which traverses its buffers in `direction` if
  // runs_backward() or alternates_in_loops() is set. `exchanges`: those of the run; null if no step
  // is a collective. `tile`: the address that element 0 of the value would have.
  BufferTable(std::span<const BufferRef> refs, std::span<std::byte* const> bases,
              std::byte* scratch, Direction direction, Exchanges* exchanges = nullptr,
              std::byte* tile = nullptr)
      : refs_(refs),
        bases_(bases),
        scratch_(scratch),
        tile_(tile),
        exchanges_(exchanges),
        direction_(direction) {}

  BufferTable with_tile(std::byte* tile) const {
    return BufferTable(refs_, bases_, scratch_, direction_, exchanges_, tile);
  }
  BufferTable with_scratch(std::byte* scratch) const {
    return BufferTable(refs_, bases_, scratch, direction_, exchanges_, tile_);
  }
  BufferTable with_bases(std::span<std::byte* const> bases) const {
    return BufferTable(refs_, bases, scratch_, direction_, exchanges_, tile_);
  }

  template <typename T>
  T* write(ValueId id) const {
    const BufferRef ref = refs_[index(id)];
    std::byte* const base =
        ref.base == BufferRef::tile ? tile_ : bases_[static_cast<size_t>(ref.base)];
    return reinterpret_cast<T*>(base + ref.offset);
  }
  template <typename T>
  const T* read(ValueId id) const {
    return write<const T>(id);
  }
  // Null: there is no value.
  template <typename T>
  const T* read(std::optional<ValueId> id) const {
    return id ? read<T>(*id) : nullptr;
  }
  template <typename T>
  T* scratch() const {
    return reinterpret_cast<T*>(scratch_);
  }
  bool has_tile(ValueId id) const { return refs_[index(id)].base == BufferRef::tile; }
  std::span<std::byte* const> bases() const { return bases_; }
  Direction direction() const { return direction_; }
  Exchanges& exchanges() const { return *exchanges_; }

 private:
  std::span<const BufferRef> refs_;
  std::span<std::byte* const> bases_;
  std::byte *scratch_, *tile_;
  Exchanges* exchanges_;
  Direction direction_;
};

// Immutable. Several threads may run a step at once, each with its own buffer table.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const BufferTable& buffers) const = 0;
  virtual bool runs_backward() const { return false; }
  // Whether the step reads the same weights in each run of a loop. Every other run then traverses
  // them backward, and begins with the part that the caches kept.
  virtual bool alternates_in_loops() const { return false; }
  virtual int64_t scratch_bytes() const { return 0; }
  // A step of a loop may prepare inputs that are the same in all runs of the loop, in its scratch
  // memory, which then belongs to it alone. begin_loop is called before the first run.
  virtual bool keeps_scratch() const { return false; }
  virtual void begin_loop(const BufferTable& /*buffers*/) const {}
};

class ConcurrentTasks;  // runtime/concurrent_tasks.hpp

// A loop that makes its steps one after the other, and shows no values to an observer. Loops that
// do not depend on each other may run at the same time.
class Loop : public Step {
 public:
  virtual int64_t length() const = 0;
  // Whether more than one thread pays off in a step.
  virtual bool has_large_steps() const = 0;
  // Runs as one of several tasks, in the calling thread.
  virtual void run_task(const BufferTable& buffers, const ConcurrentTasks& tasks,
                        int task) const = 0;
};

// A step that calls run(buffers). If `run` needs scratch memory, it has a scratch_bytes(), too.
template <typename Run>
class FunctionStep final : public Step {
 public:
  explicit FunctionStep(Run run) : run_(std::move(run)) {}
  void run(const BufferTable& buffers) const override { run_(buffers); }
  int64_t scratch_bytes() const override {
    if constexpr (requires { run_.scratch_bytes(); }) return run_.scratch_bytes();
    return 0;
  }

 private:
  Run run_;
};
template <typename Run>
std::unique_ptr<Step> make_step(Run run) {
  return std::make_unique<FunctionStep<Run>>(std::move(run));
}

// The parts [first, last) of the `of` equal, consecutive parts into which all values are
// partitioned.
struct PartRange {
  int64_t first, last, of;

  // The range of the parts in `count` rows or elements; `of` divides `count`.
  int64_t begin(int64_t count) const { return count / of * first; }
  int64_t end(int64_t count) const { return count / of * last; }
};

// What can run part by part, in the calling thread.
class RunsInParts {
 public:
  virtual ~RunsInParts() = default;
  virtual void run_parts(const BufferTable& buffers, const PartRange& parts) const = 0;
};

class PartitionedStep : public Step, public RunsInParts {
 public:
  bool runs_backward() const override { return true; }
};

// A step that runs its members together, part by part.
class GroupStep : public Step {
 public:
  std::vector<std::unique_ptr<PartitionedStep>> members;
  bool runs_backward() const override { return true; }
};

// Rows of contiguous elements in the output of a step. All numbers are in elements; rows begin
// `step` apart.
struct ElementRows {
  int64_t begin = 0, size = 0, rows = 1, step = 0;
};

// A step that computes each element independently, so that it can run for any rows alone.
class ElementStep : public PartitionedStep {
 public:
  // `count`: elements of each output.
  ElementStep(int64_t count, std::optional<Clamp> in_place_clamp)
      : clamp(in_place_clamp), count_(count) {}
  virtual void run_rows(const BufferTable& buffers, const ElementRows& rows) const = 0;
  void run_parts(const BufferTable& buffers, const PartRange& parts) const override {
    const int64_t begin = parts.begin(count_);
    run_rows(buffers, {.begin = begin, .size = parts.end(count_) - begin});
  }

  // If the step does nothing but clamp its output in place: a kernel that makes the elements can
  // clamp them before it stores them, in place of the step.
  const std::optional<Clamp> clamp;

 protected:
  const int64_t count_;
};

// An elementwise step that runs on rows which another step has just written, while they are in the
// cache.
class Epilogue {
 public:
  // Null: run() does nothing. `origin`: the output element that rows are counted from, such as the
  // first element of a matrix in a batch.
  explicit Epilogue(const ElementStep* step = nullptr, const BufferTable* buffers = nullptr,
                    int64_t origin = 0)
      : step_(step), buffers_(buffers), origin_(origin) {}

  // See ElementStep::clamp; null if there is none.
  const Clamp* clamp() const { return step_ && step_->clamp ? &*step_->clamp : nullptr; }

  void run(ElementRows rows) const {
    if (!step_) return;
    rows.begin += origin_;
    // Contiguous rows are one row.
    if (rows.step == rows.size) rows = {.begin = rows.begin, .size = rows.size * rows.rows};
    step_->run_rows(*buffers_, rows);
  }

 private:
  const ElementStep* step_;
  const BufferTable* buffers_;
  int64_t origin_;
};

// A step that makes one value tile by tile, and runs the epilogue on each tile.
class TiledStep : public Step {
 public:
  std::unique_ptr<ElementStep> epilogue = nullptr;  // null: none
};

}  // namespace mithril::cpu_backend
