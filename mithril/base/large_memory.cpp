#include "mithril/base/large_memory.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <new>

namespace mithril {

void FreeLarge::operator()(std::byte* memory) const {
  ::operator delete (memory, std::align_val_t{alignment});
}

LargeMemory large_memory(int64_t bytes) {
  constexpr size_t large_page = size_t{1} << 21;
  const auto size = static_cast<size_t>(bytes);
  const FreeLarge free{size < large_page ? size_t{64} : large_page};
  auto* memory = static_cast<std::byte*>(::operator new (size, std::align_val_t{free.alignment}));
#ifdef __linux__
  // Advice that may be left. Beyond the last whole one pages are small, so that none is wasted.
  if (size >= large_page)
    static_cast<void>(madvise(memory, size / large_page * large_page, MADV_HUGEPAGE));
#endif
  return {memory, free};
}

}  // namespace mithril
