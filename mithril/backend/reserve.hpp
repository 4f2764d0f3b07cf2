// One large allocation that is given out in parts.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace mithril {

// Thread-safe.
class Reserve {
 public:
  // `free` is called with the memory when the reserve is destroyed; all parts are given back then.
  Reserve(void* memory, size_t bytes, std::function<void(void*)> free);
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  // Aligned to 64 bytes; null if no free part is large enough.
  void* take(size_t bytes);
  void give(void* address);
  size_t left() const;  // in bytes, in all free parts

 private:
  using Parts = std::map<std::byte*, size_t>;

  void* const memory_;
  const std::function<void(void*)> free_memory_;
  mutable std::mutex mutex_;  // guards the members below
  Parts free_, used_;         // no two free parts are neighbours
  size_t left_;
};

}  // namespace mithril
