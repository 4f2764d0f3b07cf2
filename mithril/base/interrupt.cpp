#include "mithril/base/interrupt.hpp"

#include <atomic>
#include <chrono>

namespace mithril {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto pause = std::chrono::milliseconds(50);

std::atomic<InterruptQuestion> asked{nullptr};

}  // namespace

void set_interrupt_question(InterruptQuestion question) { asked = question; }

void check_interrupt() {
  const InterruptQuestion question = asked.load(std::memory_order_relaxed);
  if (!question) return;
  thread_local Clock::time_point next{};
  const Clock::time_point now = Clock::now();
  if (now < next) return;
  next = now + pause;
  if (question()) throw Interrupted();
}

}  // namespace mithril
