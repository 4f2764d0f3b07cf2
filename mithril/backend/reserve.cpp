#include "mithril/backend/reserve.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mithril {
namespace {

constexpr size_t alignment = 64;

}  // namespace

Reserve::Reserve(void* memory, size_t bytes, std::function<void(void*)> free)
    : memory_(memory), free_memory_(std::move(free)), left_(bytes / alignment * alignment) {
  if (left_ > 0) free_[static_cast<std::byte*>(memory)] = left_;
}

Reserve::~Reserve() { free_memory_(memory_); }

// The smallest free part that is large enough; the first one if there are several.
void* Reserve::take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > left_) return nullptr;
  const size_t size = std::max<size_t>(1, (bytes + alignment - 1) / alignment) * alignment;
  auto best = free_.end();
  for (auto part = free_.begin(); part != free_.end(); ++part) {
    if (part->second >= size && (best == free_.end() || part->second < best->second)) best = part;
  }
  if (best == free_.end()) return nullptr;
  const auto [address, room] = *best;
  if (room > size) free_.emplace(address + size, room - size);
  auto taken = free_.extract(best);
  taken.mapped() = size;
  used_.insert(std::move(taken));
  left_ -= size;
  return address;
}

// Moves the entry, because a destructor calls it: an allocation that fails would end the process.
void Reserve::give(void* address) {
  const std::lock_guard lock(mutex_);
  auto given = used_.extract(static_cast<std::byte*>(address));
  std::byte* const begin = given.key();
  size_t& size = given.mapped();
  left_ += size;
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && begin + size == after->first) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      before->second += size;
      return;
    }
  }
  free_.insert(std::move(given));
}

size_t Reserve::left() const {
  const std::lock_guard lock(mutex_);
  return left_;
}

}  // namespace mithril
