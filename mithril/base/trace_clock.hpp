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

// Converts ticks to nanoseconds of std::chrono::steady_clock. Compares both clocks when the process
// makes the first object and again for each one, and waits until these comparisons are 10 ms apart.
class TickConversion {
 public:
  TickConversion();
  std::int64_t nanoseconds(TraceTicks ticks) const;

 private:
  // Both clocks at one moment.
  TraceTicks ticks_;
  std::int64_t nanoseconds_;
  double nanoseconds_per_tick_;
};

}  // namespace mithril
