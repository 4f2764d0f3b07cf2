// The memory of results, reused after the caller has released them.
#pragma once

#include <cstdint>
#include <memory>

#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

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
