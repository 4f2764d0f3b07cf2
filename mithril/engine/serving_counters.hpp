// The statistics of a registered name, which many threads count.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "mithril/engine/serving_options.hpp"

namespace mithril {

using ServingClock = std::chrono::steady_clock;

struct ServingCounters {
  using Count = std::atomic<std::uint64_t>;

  Count requests{0}, answered{0}, failed{0}, rejected{0}, expired{0}, cancelled{0};
  Count calls{0}, rows{0}, loads{0}, waiting{0}, sessions{0};
  Count wait_nanoseconds{0}, run_nanoseconds{0}, latency_nanoseconds{0};
  std::array<Count, ServingStats::latency_bounds.size() + 1> latencies{};

  static void add(Count& count, std::uint64_t more = 1) {
    count.fetch_add(more, std::memory_order_relaxed);
  }
  static void add(Count& count, ServingClock::duration time) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    add(count, static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0)));
  }

  void answer(ServingClock::duration latency) {
    add(answered);
    add(latency_nanoseconds, latency);
    const double seconds = std::chrono::duration<double>(latency).count();
    const auto& bounds = ServingStats::latency_bounds;
    const auto at = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
    add(latencies[static_cast<std::size_t>(at)]);
  }

  ServingStats read() const {
    const auto seconds = [](const Count& nanoseconds) {
      return static_cast<double>(nanoseconds.load()) * 1e-9;
    };
    ServingStats stats{.requests = requests,
                       .answered = answered,
                       .failed = failed,
                       .rejected = rejected,
                       .expired = expired,
                       .cancelled = cancelled,
                       .calls = calls,
                       .rows = rows,
                       .loads = loads,
                       .waiting = waiting,
                       .sessions = sessions,
                       .wait_seconds = seconds(wait_nanoseconds),
                       .run_seconds = seconds(run_nanoseconds),
                       .latency_seconds = seconds(latency_nanoseconds)};
    for (std::size_t i = 0; i < latencies.size(); ++i) stats.latencies[i] = latencies[i];
    return stats;
  }
};

}  // namespace mithril
