// One large piece of memory, taken at once and given out in parts.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace mithril {

// Any number of threads may take and give.
class Reserve {
 public:
  // `free` is called with the memory when the reserve is destroyed; all parts are given back then.
  Reserve(void* memory, size_t bytes, std::function<void(void*)> free);
  ~Reserve();
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  // Aligned to 64 bytes; null where no free part is as large.
  void* take(size_t bytes);
  void give(void* address);
  size_t left() const;  // in bytes, in all free parts

 private:
  using Parts = std::map<std::byte*, size_t>;

  void* const memory_;
  const std::function<void(void*)> free_memory_;
  mutable std::mutex mutex_;  // guards what follows
  Parts free_, used_;         // no two free parts are neighbours
  size_t left_;
};

}  // namespace mithril
