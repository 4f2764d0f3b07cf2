#include "mithril/base/trace_clock.hpp"

#include <cmath>
#include <thread>

namespace mithril {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Both clocks at one moment.
struct Moment {
  TraceTicks ticks = 0;
  SteadyClock::time_point time = {};
};

// The best of a few readings: a thread may lose its processor between both.
Moment read_clocks() {
  Moment best;
  TraceTicks least = INT64_MAX;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const TraceTicks before = trace_ticks();
    const auto time = SteadyClock::now();
    const TraceTicks after = trace_ticks();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, time};
  }
  return best;
}

}  // namespace

TickConversion::TickConversion() {
  static const Moment first = read_clocks();
  std::this_thread::sleep_until(first.time + std::chrono::milliseconds(10));
  const Moment now = read_clocks();
  const std::chrono::duration<double, std::nano> elapsed = now.time - first.time;
  ticks_ = now.ticks;
  nanoseconds_ = std::chrono::nanoseconds(now.time.time_since_epoch()).count();
  nanoseconds_per_tick_ = elapsed.count() / static_cast<double>(now.ticks - first.ticks);
}

std::int64_t TickConversion::nanoseconds(TraceTicks ticks) const {
  const double after = static_cast<double>(ticks - ticks_) * nanoseconds_per_tick_;
  return nanoseconds_ + std::llround(after);
}

}  // namespace mithril
