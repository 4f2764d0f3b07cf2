#include "backends/cpu/memory/arenas.hpp"

namespace mithril::cpu_backend {

void Arena::reserve(int64_t bytes, size_t bases) {
  if (bytes > bytes_) {
    memory_ = nullptr, bytes_ = 0;
    memory_ = large_memory(bytes);
    bytes_ = bytes;
  }
  bases_.resize(bases);
  if (bases_.front() != memory_.get()) bases_.front() = memory_.get();
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
  auto arena = std::make_unique<Arena>();
  const std::lock_guard lock(mutex_);
  free_.reserve(made_ + 1);
  ++made_;
  return arena;
}

Arenas::Loan Arenas::lend(int64_t bytes, size_t bases) {
  Loan loan(take().release(), Return{this});
  loan->reserve(bytes, bases);
  return loan;
}

void Arenas::Return::operator()(Arena* arena) const noexcept {
  const std::lock_guard lock(arenas->mutex_);
  arenas->free_.emplace_back(arena);
}

}  // namespace mithril::cpu_backend
