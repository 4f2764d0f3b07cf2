// Memory statistics, limits and hooks of backends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/infer/datum.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

class Backend;

// In bytes, of one backend.
struct MemoryStats {
  int64_t allocated = 0;  // in use now
  int64_t cached = 0;     // kept for later by what gives the memory
  int64_t peak = 0;       // the most that was in use at once
  std::optional<int64_t> limit = {};
};

// Told of memory that was taken (device, its size, 0) and of what was given back (device, 0, its
// size).
using MemoryHook =
    std::function<void(const std::string& device, int64_t alloc_size, int64_t free_size)>;

// Copies are the same hook. It may outlive the backend.
class MemoryHookHandle {
 public:
  explicit MemoryHookHandle(std::shared_ptr<std::atomic<bool>> active)
      : active_(std::move(active)) {}
  // From now on the hook is not called. From any thread; again does nothing.
  void remove() { *active_ = false; }

 private:
  std::shared_ptr<std::atomic<bool>> active_;
};

// May be used from many threads at once.
class BackendMemory {
 public:
  virtual ~BackendMemory() = default;
  virtual MemoryStats stats() const = 0;
  // Hooks are called in the thread that used the memory, when its evaluation (or `count`) is at its
  // end, with all that happened since; what one throws surfaces there.
  virtual MemoryHookHandle add_hook(MemoryHook hook) = 0;
  // Frees memory that is kept for later.
  virtual void clear_cache() = 0;
  // What `body` makes; what it takes in this thread counts, as that of an evaluation does:
  // OutOfMemoryError E1101 above the limit.
  virtual std::vector<Tensor> count(const std::function<std::vector<Tensor>()>& body) = 0;
};

// BackendError E1020 where it does not count its memory.
BackendMemory& memory_of(Backend& backend);

// Bytes of 4096, 4e9, "512MB" or "1.5 GiB": GB is 10^9 and GiB is 2^30. ValueError E0430 for
// anything else; `option` is what it was given for.
int64_t read_bytes(const Datum& size, std::string_view option);

}  // namespace mithril
