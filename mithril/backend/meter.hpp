// Counts the memory of a backend, wherever it is freed, and calls its hooks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/backend/memory.hpp"
#include "mithril/backend/reserve.hpp"
#include "mithril/base/error.hpp"

namespace mithril {

// A refused request. Without a limit: the system is out of memory.
struct MemoryRefusal {
  int64_t asked = 0, in_use = 0;
  std::optional<int64_t> limit = {};
};

// OutOfMemoryError E1101 above the limit, or E1102 if the system is out of memory, for the op at
// the path; both may be empty.
[[noreturn]] void out_of_memory(const MemoryRefusal& refusal, const std::string& path,
                                const std::string& op);

struct MemoryEvent {
  std::string device;
  int64_t allocated = 0, freed = 0;
};

// Memory that counts until a later check finds that it was freed.
struct WatchedMemory {
  std::function<bool()> is_gone;
  std::string device;
  int64_t bytes = 0;
};

// Counts for one backend. Thread-safe.
class Meter {
 public:
  // The creator's reference keeps it alive, and after that the counted blocks do until they are
  // freed. With a reserve, counted blocks may be parts of it.
  static std::shared_ptr<Meter> make(std::optional<int64_t> limit,
                                     std::unique_ptr<Reserve> reserve = nullptr);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Counts the request, unless it is refused.
  std::optional<MemoryRefusal> take(int64_t bytes);
  // Counts memory that is already allocated, also beyond the limit.
  void add(int64_t bytes);
  // May be the last use of a meter.
  void give(int64_t bytes) { allocated_ -= bytes; }

  // Counted memory that is freed without notice.
  void watch(WatchedMemory memory);
  // Stops counting freed memory.
  void sweep();

  int64_t allocated() const { return allocated_; }
  int64_t peak() const { return peak_; }
  std::optional<int64_t> limit() const { return limit_; }
  Reserve* reserve() const { return reserve_.get(); }  // null: it has none

  MemoryHookHandle add_hook(MemoryHook hook);
  bool has_hooks() const { return has_hooks_.load(std::memory_order_relaxed); }
  // Keeps an event outside of any scope for the end of the next scope. Must be called before the
  // memory is freed.
  void keep(MemoryEvent event);
  // Calls the hooks with the kept events and then with these. Rethrows the first exception.
  void tell(std::vector<MemoryEvent> events);

 private:
  struct Hook {
    std::shared_ptr<std::atomic<bool>> active;
    std::shared_ptr<const MemoryHook> call;  // shared: called while others are added
  };

  Meter(std::optional<int64_t> limit, std::unique_ptr<Reserve> reserve)
      : limit_(limit), reserve_(std::move(reserve)) {}
  ~Meter() = default;
  static void let_go(Meter* meter);
  void raise_peak(int64_t now);

  const std::optional<int64_t> limit_;
  const std::unique_ptr<Reserve> reserve_;
  std::atomic<int64_t> allocated_{0}, peak_{0};
  std::atomic<bool> has_hooks_{false}, watches_{false};
  std::mutex mutex_;  // guards the members below
  std::vector<Hook> hooks_;
  std::vector<MemoryEvent> kept_;
  std::vector<WatchedMemory> watched_;
  Meter* next_ = nullptr;  // of those that let_go keeps
};

// During its lifetime, allocations of this thread are counted by a meter. Scopes nest: the
// innermost counts, and the outermost of a meter calls the hooks.
class MeterScope {
 public:
  // Null: nothing is counted.
  explicit MeterScope(Meter* meter);
  // If `finish` was not called, calls the hooks and drops their exceptions.
  ~MeterScope();
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;

  static MeterScope* current();  // of this thread; null: none

  // False if it is refused; `refusal` is the reason.
  bool take(const char* device, int64_t bytes);
  // Counts memory that is already allocated, also above the limit; then `refusal` reports it.
  void add(const char* device, int64_t bytes);
  // Undoes `take` after the system has refused the memory.
  void fail(const char* device, int64_t bytes);
  void give(const char* device, int64_t bytes);
  Meter* meter() const { return meter_; }
  const std::optional<MemoryRefusal>& refusal() const { return refusal_; }

  // Ends counting and calls the hooks. Rethrows their exceptions.
  void finish();

 private:
  void leave();
  void tell();

  static thread_local MeterScope* current_;
  Meter* const meter_;
  MeterScope* const outer_;
  bool active_ = true;
  std::optional<MemoryRefusal> refusal_;
  std::vector<MemoryEvent> events_;
};

}  // namespace mithril
