#include "mithril/backend/meter.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace mithril {

void out_of_memory(const MemoryRefusal& refusal, const std::string& path, const std::string& op) {
  ErrorDetails details{.kind = ErrorKind::out_of_memory,
                       .code = refusal.limit ? "E1101" : "E1102",
                       .path = path,
                       .message = refusal.limit ? "more memory is needed than memory_limit allows"
                                                : "there is not enough memory"};
  if (!op.empty()) details.facts.push_back({"op", op});
  details.facts.push_back({"asked", std::to_string(refusal.asked) + " bytes"});
  details.facts.push_back({"in use", std::to_string(refusal.in_use) + " bytes"});
  if (refusal.limit) {
    details.facts.push_back({"limit", std::to_string(*refusal.limit) + " bytes"});
  }
  raise(std::move(details));
}

std::shared_ptr<Meter> Meter::make(std::optional<int64_t> limit, std::unique_ptr<Reserve> reserve) {
  return {new Meter(limit, std::move(reserve)), &Meter::let_go};
}

void Meter::let_go(Meter* meter) {
  static std::mutex mutex;
  static Meter* waiting = nullptr;  // for their memory
  {
    const std::lock_guard lock(meter->mutex_);
    meter->has_hooks_ = false;
    meter->hooks_.clear();
    meter->kept_.clear();
  }
  meter->sweep();
  const std::lock_guard lock(mutex);
  meter->next_ = std::exchange(waiting, meter);
  for (Meter** at = &waiting; *at;) {
    if ((*at)->allocated() != 0) {
      at = &(*at)->next_;
    } else {
      delete std::exchange(*at, (*at)->next_);
    }
  }
}

std::optional<MemoryRefusal> Meter::take(int64_t bytes) {
  int64_t before = allocated_;
  do {
    if (limit_ && bytes > *limit_ - before) return MemoryRefusal{bytes, before, limit_};
  } while (!allocated_.compare_exchange_weak(before, before + bytes));
  raise_peak(before + bytes);
  return std::nullopt;
}

void Meter::add(int64_t bytes) { raise_peak(allocated_ += bytes); }

void Meter::watch(WatchedMemory memory) {
  const std::lock_guard lock(mutex_);
  watched_.push_back(std::move(memory));
  watches_ = true;
}

void Meter::sweep() {
  if (!watches_) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [this](const WatchedMemory& memory) {
    if (!memory.is_gone()) return false;
    if (has_hooks()) kept_.push_back({memory.device, 0, memory.bytes});
    give(memory.bytes);
    return true;
  });
  watches_ = !watched_.empty();
}

void Meter::raise_peak(int64_t now) {
  int64_t peak = peak_;
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

MemoryHookHandle Meter::add_hook(MemoryHook hook) {
  auto active = std::make_shared<std::atomic<bool>>(true);
  const std::lock_guard lock(mutex_);
  hooks_.push_back({active, std::make_shared<const MemoryHook>(std::move(hook))});
  has_hooks_ = true;
  return MemoryHookHandle(std::move(active));
}

void Meter::keep(MemoryEvent event) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(event));
}

void Meter::tell(std::vector<MemoryEvent> events) {
  std::vector<Hook> hooks;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(hooks_, [](const Hook& hook) { return !*hook.active; });
    has_hooks_ = !hooks_.empty();
    hooks = hooks_;
    kept_.insert(kept_.end(), std::make_move_iterator(events.begin()),
                 std::make_move_iterator(events.end()));
    events = std::exchange(kept_, {});
  }
  std::exception_ptr thrown;
  for (const MemoryEvent& event : events) {
    for (const Hook& hook : hooks) {
      try {
        if (*hook.active) (*hook.call)(event.device, event.allocated, event.freed);
      } catch (...) {
        if (!thrown) thrown = std::current_exception();
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
}

thread_local constinit MeterScope* MeterScope::current_ = nullptr;

MeterScope::MeterScope(Meter* meter) : meter_(meter), outer_(current_) {
  current_ = meter_ ? this : nullptr;
}

MeterScope* MeterScope::current() { return current_; }

MeterScope::~MeterScope() {
  leave();
  try {
    if (!events_.empty()) tell();
  } catch (...) {
    // The error that ended the scope takes precedence.
  }
}

bool MeterScope::take(const char* device, int64_t bytes) {
  auto refusal = meter_->take(bytes);
  if (refusal) {
    meter_->sweep();
    refusal = meter_->take(bytes);
  }
  if (refusal) {
    refusal_ = refusal;
    return false;
  }
  if (meter_->has_hooks()) events_.push_back({device, bytes, 0});
  return true;
}

void MeterScope::add(const char* device, int64_t bytes) {
  if (take(device, bytes)) return;
  meter_->add(bytes);
  if (meter_->has_hooks()) events_.push_back({device, bytes, 0});
}

void MeterScope::fail(const char* device, int64_t bytes) {
  give(device, bytes);
  refusal_ = MemoryRefusal{bytes, meter_->allocated()};
}

void MeterScope::give(const char* device, int64_t bytes) {
  if (meter_->has_hooks()) events_.push_back({device, 0, bytes});
  meter_->give(bytes);
}

void MeterScope::finish() {
  leave();
  if (meter_ && meter_->has_hooks()) tell();
}

void MeterScope::tell() {
  std::vector<MemoryEvent> events = std::exchange(events_, {});
  if (!outer_ || outer_->meter_ != meter_) return meter_->tell(std::move(events));
  std::move(events.begin(), events.end(), std::back_inserter(outer_->events_));
}

void MeterScope::leave() {
  if (active_) current_ = outer_;
  active_ = false;
}

}  // namespace mithril
