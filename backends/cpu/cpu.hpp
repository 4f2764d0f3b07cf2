// The backend that runs in this process on the CPU.
#pragma once

#include <memory>

#include "mithril/backend/backend.hpp"

namespace mithril {

struct CpuOptions {
  DType dtype = DType::float32;  // of floats that nothing else decides; a floating one
};

// Shared, because every model compiled for it keeps it. TypeError E0383 for a dtype that is not
// floating.
std::shared_ptr<Backend> cpu(CpuOptions options = {});

}  // namespace mithril
