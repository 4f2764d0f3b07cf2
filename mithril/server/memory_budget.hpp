// The memory that the bodies of all requests of a server may use together.
#pragma once

#include <atomic>
#include <cstddef>

namespace mithril {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t bytes) : free_(bytes) {}

  // False, and nothing is taken, if there is less.
  bool take(std::size_t bytes) {
    std::size_t now = free_.load();
    while (now >= bytes) {
      if (free_.compare_exchange_weak(now, now - bytes)) return true;
    }
    return false;
  }
  void give_back(std::size_t bytes) { free_ += bytes; }

 private:
  std::atomic<std::size_t> free_;
};

// The memory that one request holds. The destructor gives it back.
class HeldMemory {
 public:
  explicit HeldMemory(MemoryBudget& budget) : budget_(budget) {}
  ~HeldMemory() { clear(); }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  bool add(std::size_t bytes) {
    if (!budget_.take(bytes)) return false;
    bytes_ += bytes;
    return true;
  }
  void clear() {
    budget_.give_back(bytes_);
    bytes_ = 0;
  }

 private:
  MemoryBudget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace mithril
