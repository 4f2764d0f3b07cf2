// Executables that know the memory of a run in advance.
#pragma once

#include <span>

#include "mithril/backend/memory_timeline.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// An executable may implement it, too.
class PlansMemory {
 public:
  virtual ~PlansMemory() = default;
  // Of a run with inputs of these dims, whose elements are not read.
  virtual MemoryTimeline memory_timeline(std::span<const Tensor> inputs) const = 0;
};

}  // namespace mithril
