#include "backends/cpu/memory/run_memory.hpp"

#include <algorithm>
#include <new>

namespace mithril::cpu_backend {
namespace {

// In bytes. malloc reuses smaller allocations itself.
constexpr size_t large = size_t{1} << 16;

}  // namespace

class ResultMemory::Pieces {
 public:
  void* lend(size_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_.reserve(kept_.size() + lent_pieces_ + 1);  // take_back must not allocate
    const auto fits = [&](const Piece& piece) { return piece.bytes == bytes; };
    const auto at = std::find_if(kept_.rbegin(), kept_.rend(), fits);
    Memory memory;
    if (at == kept_.rend()) {
      make_room(bytes);
      memory.reset(::operator new(bytes, alignment));
    } else {
      memory = std::move(at->memory);
      kept_bytes_ -= bytes;
      kept_.erase(std::next(at).base());
    }
    ++lent_pieces_;
    lent_ += bytes;
    most_lent_ = std::max(most_lent_, lent_);
    return memory.release();
  }

  void take_back(void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    --lent_pieces_;
    lent_ -= bytes;
    kept_bytes_ += bytes;
    kept_.push_back({Memory(memory), bytes});
    make_room(0);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(void* piece) const { ::operator delete(piece, alignment); }
  };
  using Memory = std::unique_ptr<void, Free>;
  struct Piece {
    Memory memory;
    size_t bytes;
  };

  // Frees kept memory, oldest first, until `bytes` more can be lent within the limit.
  void make_room(size_t bytes) {
    const size_t most = std::max(most_lent_, lent_ + bytes);
    while (!kept_.empty() && lent_ + bytes + kept_bytes_ > most) {
      kept_bytes_ -= kept_.front().bytes;
      kept_.erase(kept_.begin());
    }
  }

  std::mutex mutex_;
  std::vector<Piece> kept_;  // oldest first
  size_t lent_pieces_ = 0, kept_bytes_ = 0, lent_ = 0, most_lent_ = 0;
};

ResultMemory::ResultMemory() : pieces_(std::make_shared<Pieces>()) {}

Tensor ResultMemory::take(DType dtype, const Dims& dims) const {
  const size_t bytes = static_cast<size_t>(element_count(dims)) * size_of(dtype);
  if (bytes < large) return Tensor::empty(dtype, dims);
  void* memory = pieces_->lend(bytes);
  std::shared_ptr<void> owner(
      memory, [pieces = pieces_, bytes](void* piece) { pieces->take_back(piece, bytes); });
  return Tensor::over(dtype, dims, memory, std::move(owner));
}

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
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    auto arena = std::make_unique<Arena>();
    free_.reserve(made_ + 1);
    ++made_;
    return arena;
  }
  std::unique_ptr<Arena> arena = std::move(free_.back());
  free_.pop_back();
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
