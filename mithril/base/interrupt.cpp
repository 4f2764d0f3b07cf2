#include "mithril/base/interrupt.hpp"

#include <atomic>
#include <chrono>

namespace mithril {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto interval = std::chrono::milliseconds(50);

std::atomic<InterruptCallback> callback_of_process{nullptr};
thread_local int held = 0;

}  // namespace

void set_interrupt_callback(InterruptCallback callback) { callback_of_process = callback; }

InterruptsHeld::InterruptsHeld() { ++held; }
InterruptsHeld::~InterruptsHeld() { --held; }

void check_interrupt() {
  const InterruptCallback callback = callback_of_process.load(std::memory_order_relaxed);
  if (!callback || held > 0) return;
  thread_local Clock::time_point next{};
  const Clock::time_point now = Clock::now();
  if (now < next) return;
  next = now + interval;
  if (callback()) throw Interrupted();
}

}  // namespace mithril
