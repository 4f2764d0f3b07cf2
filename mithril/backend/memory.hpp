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

// The memory of one backend, in bytes.
struct MemoryStats {
  int64_t allocated = 0;  // in use now
  int64_t cached = 0;     // kept for reuse by the allocator
  int64_t peak = 0;       // the most memory in use at any time
  std::optional<int64_t> limit = {};
};

// The memory of a device, in bytes. Empty: unknown.
struct MemoryInfo {
  std::string device;                     // "cpu", "cuda:0"
  std::optional<int64_t> total = {};      // of the device; of the container, if it has a limit
  std::optional<int64_t> free = {};       // that is not in use
  std::optional<int64_t> allocated = {};  // that the backend holds now
  std::optional<int64_t> peak = {};       // the most that the backend held
  std::optional<int64_t> limit = {};      // memory_limit of the backend
};

struct HostMemory {
  std::optional<int64_t> total, free;
};
// The memory of this machine, or of the container if that has less. `cgroup` is the folder of the
// control group.
HostMemory host_memory(const std::string& cgroup = "/sys/fs/cgroup");

// Called for allocations (device, bytes, 0) and deallocations (device, 0, bytes).
using MemoryHook =
    std::function<void(const std::string& device, int64_t alloc_size, int64_t free_size)>;

// Copies are the same hook. It may outlive the backend.
class MemoryHookHandle {
 public:
  explicit MemoryHookHandle(std::shared_ptr<std::atomic<bool>> active)
      : active_(std::move(active)) {}
  // Removes the hook. May be called from any thread, and repeatedly.
  void remove() { *active_ = false; }

 private:
  std::shared_ptr<std::atomic<bool>> active_;
};

// Thread-safe.
class BackendMemory {
 public:
  virtual ~BackendMemory() = default;
  virtual MemoryStats stats() const = 0;
  // Hooks are called in the thread that used the memory, at the end of its evaluation (or `count`),
  // for all events since. Exceptions of hooks propagate from there.
  virtual MemoryHookHandle add_hook(MemoryHook hook) = 0;
  // Frees cached memory.
  virtual void clear_cache() = 0;
  // Counts the memory that `body` allocates in this thread, as for an evaluation, and returns its
  // results. OutOfMemoryError E1101 above the limit.
  virtual std::vector<Tensor> count(const std::function<std::vector<Tensor>()>& body) = 0;
};

// The bytes of 4096, 4e9, "512MB" or "1.5 GiB": GB is 10^9 and GiB is 2^30. ValueError E0430 for
// anything else; `option`: the name of the option for the message.
int64_t read_bytes(const Datum& size, std::string_view option);

}  // namespace mithril
