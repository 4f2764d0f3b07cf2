// Backends that may run on a GPU.
#pragma once

#include <optional>

#include "mithril/backend/backend.hpp"
#include "mithril/distributed/gpus.hpp"

namespace mithril {

// A second base of a Backend.
class RunsOnGpu {
 public:
  virtual ~RunsOnGpu() = default;
  // The GPU that is the default device; none if the default device is not a GPU. Either all
  // processes whose default devices are of one kind return a GPU, or none does.
  virtual std::optional<Gpu> gpu() const = 0;
};

}  // namespace mithril
