// How threads share the work of a convolution.
#pragma once

#include <cstdint>

namespace mithril::cpu_backend {

// Whole groups of channels, or the work on each of them.
struct Sharing {
  int64_t parts = 1;
  bool whole = true;
};

// For so many multiplications, on so many groups that are as large as each other.
Sharing share(double multiplications, int64_t groups, int threads);

}  // namespace mithril::cpu_backend
