// The clock of traces.
#pragma once

#include <chrono>
#include <cstdint>

namespace mithril {

// Of the counter of the processor, which takes half as long to read as the clock of the system.
// Steps of a tenth of a microsecond are measured with it.
using TraceTicks = std::int64_t;

inline TraceTicks trace_ticks() {
#if defined(__x86_64__)
  return static_cast<TraceTicks>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

// Converts ticks to points in time. Compares both clocks when the process makes the first object
// and again for each one, and waits until these comparisons are 10 ms apart.
class TickConversion {
 public:
  TickConversion();
  std::chrono::steady_clock::time_point time(TraceTicks ticks) const;

 private:
  TraceTicks ticks_;
  std::chrono::steady_clock::time_point time_;
  double nanoseconds_per_tick_;
};

}  // namespace mithril
