// Memory in large pages, where the system has some: what is read from all over it waits less for
// the tables of pages.
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

// so many bytes, aligned to 64; in large pages as far as they fill them.
LargeMemory large_memory(int64_t bytes);

}  // namespace mithril
