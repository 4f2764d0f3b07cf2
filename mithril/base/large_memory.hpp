// Memory in huge pages, if the system has them: random access has fewer TLB misses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mithril {

struct FreeLarge {
  size_t alignment = 64;
  void operator()(std::byte* memory) const;
};
using LargeMemory = std::unique_ptr<std::byte[], FreeLarge>;

// Allocates at least `bytes` bytes, aligned to 64, in huge pages as far as they fill them.
LargeMemory large_memory(int64_t bytes);

}  // namespace mithril
