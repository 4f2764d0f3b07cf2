// What a plan is made of: steps that read and write at places which are known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "backends/cpu/runtime/alternating_traversal.hpp"

namespace mithril::cpu_backend {

// Where a value stands while a plan runs: so many bytes behind one of the frame's bases, or behind
// its tile.
struct BufferRef {
  static constexpr int32_t tile = -1;  // as a base
  int32_t base = 0;
  int64_t offset = 0;
};

// The memory of one run. The first base is the arena; then come the graph's inputs, its constants,
// and what the run gives. The tile belongs to one thread: what it has made last of a value that
// never stands anywhere as a whole.
class BufferTable {
 public:
  explicit BufferTable(std::span<std::byte* const> bases, Direction direction = Direction::forward,
                       std::byte* tile = nullptr)
      : bases_(bases), tile_(tile), direction_(direction) {}

  // `tile`: where the value would begin.
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
  // In which a step that runs_backward is to iteration.
  Direction direction() const { return direction_; }

 private:
  std::byte* begin(BufferRef place) const {
    return place.base == BufferRef::tile ? tile_ : bases_[static_cast<size_t>(place.base)];
  }

  std::span<std::byte* const> bases_;
  std::byte* tile_;
  Direction direction_;
};

// Immutable: many threads may run it at once, each with a frame of its own.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const BufferTable& buffers) const = 0;
  virtual bool runs_backward() const { return false; }
};

// Of so many equal parts that all values are cut into, one behind the other, some in a row.
struct Parts {
  int64_t first, last, of;

  // In what has so many rows, elements or other things, a multiple of `of`.
  int64_t begin(int64_t count) const { return count / of * first; }
  int64_t end(int64_t count) const { return count / of * last; }
};

// A step that may be done part by part, each in the thread that asks for it.
class PartStep : public Step {
 public:
  virtual void run_parts(const BufferTable& buffers, const Parts& parts) const = 0;
  bool runs_backward() const override { return true; }
};

// Rows of elements that lie side by side in what a step makes: each so many behind the one before.
struct ElementRows {
  int64_t begin = 0, size = 0, rows = 1, step = 0;
};

// A step that treats each element on its own, so that any of them may be done alone.
class ElementStep : public PartStep {
 public:
  virtual void run_rows(const BufferTable& buffers, const ElementRows& rows) const = 0;
};

// What is done with elements once another step has made them, while they are in the cache.
class Epilogue {
 public:
  // Null: nothing. `origin` is the place of the other step's first element.
  explicit Epilogue(const ElementStep* step = nullptr, const BufferTable* buffers = nullptr,
                    int64_t origin = 0)
      : step_(step), buffers_(buffers), origin_(origin) {}

  void run(ElementRows rows) const {
    if (!step_) return;
    rows.begin += origin_;
    // Rows that touch are one.
    if (rows.step == rows.size) rows = {.begin = rows.begin, .size = rows.size * rows.rows};
    step_->run_rows(*buffers_, rows);
  }

 private:
  const ElementStep* step_;
  const BufferTable* buffers_;
  int64_t origin_;
};

}  // namespace mithril::cpu_backend
