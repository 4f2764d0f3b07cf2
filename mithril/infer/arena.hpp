// An arena: memory that is freed together. Objects with destructors are destroyed in reverse order.
#pragma once
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace mithril {

class Arena {
 public:
  Arena() = default;
  ~Arena() { clear(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes) {  // aligned to 8; never returned singly
    bytes = (bytes + 7) & ~size_t{7};
    if (static_cast<size_t>(end_ - next_) < bytes) grow(bytes);
    void* place = next_;
    next_ += bytes;
    return place;
  }
  template <typename T, typename... Args>
  T* make(Args&&... args) {
    static_assert(alignof(T) <= 8);
    T* made = new (allocate(sizeof(T))) T(std::forward<Args>(args)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      remember(made, [](void* object) { static_cast<T*>(object)->~T(); });
    }
    return made;
  }
  template <typename T>
  T* copy(const T* from, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return nullptr;
    void* to = allocate(count * sizeof(T));
    std::memcpy(to, from, count * sizeof(T));
    return static_cast<T*>(to);
  }
  void adopt(Arena& other);  // constant time; the other is empty afterwards
  void clear();
  size_t bytes() const { return bytes_; }  // taken from the system

 private:
  struct Chunk;
  struct Spare;
  struct Destroyer;
  void grow(size_t bytes);
  void keep_spare(char* begin, char* end);
  void remember(void* object, void (*destroy)(void*));
  Chunk *chunks_ = nullptr, *oldest_ = nullptr;
  Destroyer *destroyers_ = nullptr, *first_destroyer_ = nullptr;
  char *next_ = nullptr, *end_ = nullptr;
  Spare* spare_ = nullptr;  // free space of adopted arenas
  size_t bytes_ = 0;
};

}  // namespace mithril
