#include "backends/cpu/arenas.hpp"

#include <new>

namespace mithril::cpu_backend {
namespace {

constexpr std::align_val_t alignment{64};

}  // namespace

Arena::~Arena() { ::operator delete(memory_, alignment); }

void Arena::reserve(int64_t bytes, size_t bases) {
  if (bytes > bytes_) {
    ::operator delete(memory_, alignment);
    memory_ = nullptr, bytes_ = 0;
    memory_ = static_cast<std::byte*>(::operator new(static_cast<size_t>(bytes), alignment));
    bytes_ = bytes;
  }
  bases_.resize(bases);
  bases_.front() = memory_;
}

std::unique_ptr<Arena> Arenas::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Arena> arena = std::move(free_.back());
      free_.pop_back();
      return arena;
    }
  }
  return std::make_unique<Arena>();
}

void Arenas::give(std::unique_ptr<Arena> arena) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(arena));
}

}  // namespace mithril::cpu_backend
