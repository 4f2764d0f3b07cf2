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
  // The GPU of the default device; none: it is no GPU. Processes that run on the same kind of
  // device all have one, or none has.
  virtual std::optional<Gpu> gpu() const = 0;
};

}  // namespace mithril
