// Tells whether the build has the backend on PyTorch.
#pragma once
#include <doctest/doctest.h>

#include <filesystem>

#include "backends/torch/torch.hpp"

namespace mithril::tests {

inline bool is_built() {
  const bool built = std::filesystem::exists(plugin_path("mithril_torch"));
  if (!built) MESSAGE("skipped: the backend on PyTorch is not built");
  return built;
}

}  // namespace mithril::tests
