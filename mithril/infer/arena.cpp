// Chunks and destroyers are lists, so that an arena can adopt another's in constant time.
#include "mithril/infer/arena.hpp"

#include <algorithm>

namespace mithril {

struct Arena::Chunk {
  Chunk* next;
};
struct Arena::Spare {
  Spare* next;
  char* end;
};
struct Arena::Destroyer {
  void* object;
  void (*destroy)(void*);
  Destroyer* next;
};

void Arena::clear() {
  while (destroyers_) {
    const Destroyer* newest = destroyers_;
    destroyers_ = newest->next;
    newest->destroy(newest->object);
  }
  while (chunks_) {
    Chunk* chunk = chunks_;
    chunks_ = chunk->next;
    ::operator delete(chunk);
  }
  oldest_ = nullptr;
  spare_ = nullptr;
  first_destroyer_ = nullptr;
  next_ = end_ = nullptr;
  bytes_ = 0;
}

void Arena::grow(size_t bytes) {
  if (spare_ && static_cast<size_t>(spare_->end - reinterpret_cast<char*>(spare_)) >= bytes) {
    const Spare spare = *spare_;
    next_ = reinterpret_cast<char*>(spare_);
    end_ = spare.end;
    spare_ = spare.next;
    return;
  }
  // Grows by a quarter: a small model stays small, and little memory is wasted at the end.
  constexpr size_t smallest = 496, largest = size_t{1} << 16;
  const size_t size = std::max(std::clamp(bytes_ / 4, smallest, largest), bytes + sizeof(Chunk));
  Chunk* chunk = static_cast<Chunk*>(::operator new(size));
  chunk->next = chunks_;
  chunks_ = chunk;
  if (!oldest_) oldest_ = chunk;
  next_ = reinterpret_cast<char*>(chunk + 1);
  end_ = reinterpret_cast<char*>(chunk) + size;
  bytes_ += size;
}

void Arena::keep_spare(char* begin, char* end) {
  constexpr ptrdiff_t worth_keeping = 64;
  if (end - begin < worth_keeping) return;
  spare_ = new (begin) Spare{spare_, end};
}

void Arena::remember(void* object, void (*destroy)(void*)) {
  destroyers_ = new (allocate(sizeof(Destroyer))) Destroyer{object, destroy, destroyers_};
  if (!first_destroyer_) first_destroyer_ = destroyers_;
}

void Arena::adopt(Arena& other) {
  if (!other.chunks_) return;
  other.oldest_->next = chunks_;
  chunks_ = other.chunks_;
  if (!oldest_) oldest_ = other.oldest_;
  if (other.destroyers_) {
    other.first_destroyer_->next = destroyers_;
    destroyers_ = other.destroyers_;
    if (!first_destroyer_) first_destroyer_ = other.first_destroyer_;
  }
  if (other.end_ - other.next_ > end_ - next_) {  // continue in the chunk with more space
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
  }
  keep_spare(other.next_, other.end_);
  bytes_ += other.bytes_;
  other.chunks_ = other.oldest_ = nullptr;
  other.destroyers_ = other.first_destroyer_ = nullptr;
  other.next_ = other.end_ = nullptr;
  other.spare_ = nullptr;
  other.bytes_ = 0;
}

}  // namespace mithril
