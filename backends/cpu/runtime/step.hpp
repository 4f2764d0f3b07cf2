// The step interface. Steps read and write buffers that memory planning has chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "backends/cpu/kernels/clamp.hpp"

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

// Calls body(i) for each i in [begin, end), in the given direction.
template <typename Body>
void iterate(Direction direction, int64_t begin, int64_t end, const Body& body) {
  if (direction == Direction::forward) {
    for (int64_t i = begin; i < end; ++i) body(i);
  } else {
    for (int64_t i = end; i-- > begin;) body(i);
  }
}

// The address of a value during a run: an offset in bytes from a base of the buffer table, or from
// the tile.
struct BufferRef {
  static constexpr int32_t tile = -1;  // as `base`: the tile
  int32_t base = 0;
  int64_t offset = 0;

  bool operator==(const BufferRef&) const = default;
};

// The buffers of one run. Base 0 is the arena. The inputs of the graph follow, then its constants,
// then the outputs that the run allocates. The tile belongs to one thread: it holds the part of a
// value that this thread computed last. The whole value is never in memory.
class BufferTable {
 public:
  explicit BufferTable(std::span<std::byte* const> bases, Direction direction = Direction::forward,
                       std::byte* tile = nullptr)
      : bases_(bases), tile_(tile), direction_(direction) {}

  // `tile`: the address that element 0 of the value would have.
  BufferTable with_tile(std::byte* tile) const { return BufferTable(bases_, direction_, tile); }

  template <typename T>
  const T* read(BufferRef place) const {
    return reinterpret_cast<const T*>(begin(place) + place.offset);
  }
  template <typename T>
  T* write(BufferRef place) const {
    return reinterpret_cast<T*>(begin(place) + place.offset);
  }
  std::span<std::byte* const> bases() const { return bases_; }
  // The direction in which a step with runs_backward() traverses its buffers.
  Direction direction() const { return direction_; }

 private:
  std::byte* begin(BufferRef place) const {
    return place.base == BufferRef::tile ? tile_ : bases_[static_cast<size_t>(place.base)];
  }

  std::span<std::byte* const> bases_;
  std::byte* tile_;
  Direction direction_;
};

// Immutable. Several threads may run a step at once, each with its own buffer table.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const BufferTable& buffers) const = 0;
  virtual bool runs_backward() const { return false; }
};

// A step that calls run(buffers).
template <typename Run>
class FunctionStep final : public Step {
 public:
  explicit FunctionStep(Run run) : run_(std::move(run)) {}
  void run(const BufferTable& buffers) const override { run_(buffers); }

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

// A step that can run part by part. run_parts runs in the calling thread.
class PartitionedStep : public Step {
 public:
  virtual void run_parts(const BufferTable& buffers, const PartRange& parts) const = 0;
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
  explicit ElementStep(std::optional<Clamp> in_place_clamp = {}) : clamp(in_place_clamp) {}
  virtual void run_rows(const BufferTable& buffers, const ElementRows& rows) const = 0;

  // If the step does nothing but clamp its output in place: a kernel that makes the elements can
  // clamp them before it stores them, in place of the step.
  const std::optional<Clamp> clamp;
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

}  // namespace mithril::cpu_backend
