#include "mithril/engine/inference_request.hpp"

#include <algorithm>
#include <chrono>

#include "mithril/base/interrupt.hpp"
#include "mithril/engine/engine_errors.hpp"

namespace mithril {

bool InferenceRequest::finish(TensorMap outputs, std::exception_ptr error,
                              ServingCounters::Count* count) {
  {
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return false;
    outputs_ = std::move(outputs);
    error_ = std::move(error);
    if (count) {
      ServingCounters::add(*count);
    } else {
      counters->answer(ServingClock::now() - created);
    }
    done_.store(true, std::memory_order_release);
  }
  finished_.notify_all();
  return true;
}

void InferenceRequest::answer(TensorMap outputs) { finish(std::move(outputs), nullptr, nullptr); }

void InferenceRequest::fail(std::exception_ptr error) {
  finish({}, std::move(error), &counters->failed);
}

void InferenceRequest::expire() { finish({}, deadline_error(name), &counters->expired); }

void InferenceRequest::cancel() { finish({}, cancelled_error(name), &counters->cancelled); }

void InferenceRequest::drop(std::exception_ptr error) {
  finish({}, std::move(error), &counters->cancelled);
}

bool InferenceRequest::wait_until(std::optional<ServingClock::time_point> time) {
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return done_.load(std::memory_order_relaxed); };
  if (time) return finished_.wait_until(lock, *time, is_over);
  finished_.wait(lock, is_over);
  return true;
}

TensorMap InferenceRequest::get() {
  constexpr std::chrono::milliseconds between_interrupts(50);
  while (!is_done()) {
    const ServingClock::time_point next = ServingClock::now() + between_interrupts;
    if (wait_until(deadline ? std::min(*deadline, next) : next)) break;
    if (deadline && *deadline <= ServingClock::now()) expire();
    check_interrupt();
  }
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  return std::move(outputs_);
}

}  // namespace mithril
