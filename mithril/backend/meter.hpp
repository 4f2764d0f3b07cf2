// Counts the memory of a backend, wherever it is given back, and tells its hooks.
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

// A request that was not granted. Without a limit: there is no more memory.
struct MemoryRefusal {
  int64_t asked = 0, in_use = 0;
  std::optional<int64_t> limit = {};
};

// OutOfMemoryError E1101 above the limit, or E1102 where there is no more, by the op at the path;
// both may be empty.
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

// Of one backend. Any number of threads may count at once.
class Meter {
 public:
  // Whoever asked for it lets it go, and it stays until all that it counts is given back.
  // With a reserve, if it has one, that what it counts may be parts of.
  static std::shared_ptr<Meter> make(std::optional<int64_t> limit,
                                     std::unique_ptr<Reserve> reserve = nullptr);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // What was asked for counts, unless it is refused.
  std::optional<MemoryRefusal> take(int64_t bytes);
  // Counts memory that is already allocated, also beyond the limit.
  void add(int64_t bytes);
  // May be the last that is done with a meter.
  void give(int64_t bytes) { allocated_ -= bytes; }

  // Of memory that counts already and is given back without a word.
  void watch(WatchedMemory memory);
  // Stops counting freed memory.
  void sweep();

  int64_t allocated() const { return allocated_; }
  int64_t peak() const { return peak_; }
  std::optional<int64_t> limit() const { return limit_; }
  Reserve* reserve() const { return reserve_.get(); }  // null: it has none

  MemoryHookHandle add_hook(MemoryHook hook);
  bool has_hooks() const { return has_hooks_.load(std::memory_order_relaxed); }
  // Of what happens in no scope: told at the end of the next one. Before it is given back.
  void keep(MemoryEvent event);
  // Calls the hooks with what was kept and then with these; throws what the first of them threw.
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
  std::mutex mutex_;  // guards what follows
  std::vector<Hook> hooks_;
  std::vector<MemoryEvent> kept_;
  std::vector<WatchedMemory> watched_;
};

// While it lives, what this thread allocates counts for a meter. Scopes nest: the innermost counts,
// and hooks are told by the outermost of a meter.
class MeterScope {
 public:
  // Null: counts nothing.
  explicit MeterScope(Meter* meter);
  // Where `finish` was not called, hooks are told, and what they throw is dropped.
  ~MeterScope();
  MeterScope(const MeterScope&) = delete;
  MeterScope& operator=(const MeterScope&) = delete;

  static MeterScope* current();  // of this thread; null: none

  // False where it is refused; `refusal` says why.
  bool take(const char* device, int64_t bytes);
  // Counts above the limit, too, for what is there already; `refusal` tells of it.
  void add(const char* device, int64_t bytes);
  // The system has no more for what was taken.
  void fail(const char* device, int64_t bytes);
  void give(const char* device, int64_t bytes);
  Meter* meter() const { return meter_; }
  const std::optional<MemoryRefusal>& refusal() const { return refusal_; }

  // Ends counting and tells the hooks; what one throws comes out here.
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
