// The undo trail: old contents of whatever changes while an Attempt is open.
#pragma once
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace mithril {

class Trail {
 public:
  void save(void* at, size_t bytes);           // trivially copyable contents
  void on_undo(std::function<void()> action);  // anything else
  void roll_back();                            // newest first
  void clear();

  static Trail*& active();  // of this thread; null outside an Attempt

 private:
  struct Entry {
    void* at;
    size_t offset, bytes;  // into bytes_, or, at == nullptr, an index into actions_
  };
  std::vector<Entry> entries_;
  std::vector<std::byte> bytes_;
  std::vector<std::function<void()>> actions_;
};

// Call before changing x.
template <typename T>
void save(T& x) {
  Trail* trail = Trail::active();
  if (!trail) return;
  if constexpr (std::is_trivially_copyable_v<T>) {
    trail->save(&x, sizeof(T));
  } else {
    trail->on_undo([&x, old = x]() mutable { x = std::move(old); });
  }
}

}  // namespace mithril
