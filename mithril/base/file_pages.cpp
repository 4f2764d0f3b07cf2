#include "mithril/base/file_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace mithril {
namespace {

// From the start of each range to its end.
struct KnownPages {
  std::mutex mutex;
  std::map<const std::byte*, const std::byte*, std::less<>> ends;
};

KnownPages& known_pages() {
  static auto* const known = new KnownPages;  // for objects that outlive static ones
  return *known;
}

bool is_known(const KnownPages& known, const std::byte* begin, std::size_t bytes) {
  const auto after = known.ends.upper_bound(begin);
  return after != known.ends.begin() && begin + bytes <= std::prev(after)->second;
}

}  // namespace

FilePages::FilePages(std::span<const std::byte> bytes) : begin_(bytes.data()) {
  KnownPages& known = known_pages();
  const std::lock_guard lock(known.mutex);
  known.ends[begin_] = begin_ + bytes.size();
}

FilePages::~FilePages() {
  KnownPages& known = known_pages();
  const std::lock_guard lock(known.mutex);
  known.ends.erase(begin_);
}

bool are_file_pages(const void* begin, std::size_t bytes) {
  KnownPages& known = known_pages();
  const std::lock_guard lock(known.mutex);
  return is_known(known, static_cast<const std::byte*>(begin), bytes);
}

void release_file_pages(const void* begin, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(begin);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(first) % page) % page;
  if (bytes < before + page) return;
  const std::size_t size = (bytes - before) / page * page;
  KnownPages& known = known_pages();
  // The lock keeps the file mapped meanwhile.
  const std::lock_guard lock(known.mutex);
  if (!is_known(known, first, bytes)) return;
  ::madvise(const_cast<std::byte*>(first) + before, size, MADV_DONTNEED);  // only a hint
}

}  // namespace mithril
