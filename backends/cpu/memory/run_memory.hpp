// The memory of runs: arenas, which runs borrow, and the tensors that they return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/runtime/step.hpp"
#include "mithril/base/large_memory.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

// The arena of one run, and its buffer table. It never shrinks.
class Arena {
 public:
  // Reserves at least `bytes` of memory, aligned to 64 bytes, and `bases` bases. Base 0 is the
  // memory.
  void reserve(int64_t bytes, size_t bases);
  std::span<std::byte*> bases() { return bases_; }
  AlternatingTraversal& traversal_order() { return traversal_order_; }

 private:
  LargeMemory memory_;
  int64_t bytes_ = 0;
  std::vector<std::byte*> bases_;
  AlternatingTraversal traversal_order_;
};

// A pool of arenas, one for each concurrent run. Thread-safe.
class Arenas {
 public:
  // Gives the arena back.
  struct Return {
    Arenas* arenas;
    void operator()(Arena* arena) const noexcept;  // the list has room for all arenas
  };
  using Loan = std::unique_ptr<Arena, Return>;

  Loan lend(int64_t bytes, size_t bases);

 private:
  std::unique_ptr<Arena> take();

  std::mutex mutex_;
  size_t made_ = 0;
  std::vector<std::unique_ptr<Arena>> free_;
};

// The first write to each page of a new large allocation is slow. This pool keeps released memory
// for later results. Kept and lent memory together never exceed the most memory that was lent at
// once. Thread-safe.
class ResultMemory {
 public:
  ResultMemory();

  // The elements are uninitialised. The tensor may outlive the pool.
  Tensor take(DType dtype, const Dims& dims) const;

 private:
  class Pieces;
  std::shared_ptr<Pieces> pieces_;
};

}  // namespace mithril::cpu_backend
