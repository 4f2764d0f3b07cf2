#include "mithril/engine/inference_request.hpp"

#include <algorithm>
#include <chrono>

#include "mithril/base/interrupt.hpp"
#include "mithril/engine/engine_errors.hpp"

namespace mithril {
namespace {

// The error, or what is thrown while it is made.
template <typename Make>
std::exception_ptr error_made_by(const Make& make) {
  try {
    return make();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

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
  leave_queue();
  finished_.notify_all();
  return true;
}

void InferenceRequest::answer(TensorMap outputs) { finish(std::move(outputs), nullptr, nullptr); }

void InferenceRequest::fail(std::exception_ptr error) {
  finish({}, std::move(error), &counters->failed);
}

void InferenceRequest::expire() {
  finish({}, error_made_by([&] { return deadline_error(name); }), &counters->expired);
}

void InferenceRequest::cancel() {
  finish({}, error_made_by([&] { return cancelled_error(name); }), &counters->cancelled);
}

void InferenceRequest::end_by_unload() {
  finish({}, error_made_by([&] { return unloaded_error(name); }), &counters->cancelled);
}

void InferenceRequest::end_by_shut_down() {
  finish({}, error_made_by(shut_down_error), &counters->cancelled);
}

bool InferenceRequest::wait_until(std::optional<ServingClock::time_point> time) {
  constexpr std::chrono::milliseconds between_interrupts(50);
  if (forks != fork_count()) refuse_request_of_parent(name);
  while (!is_done()) {
    {
      std::unique_lock lock(mutex_);
      const ServingClock::time_point next = ServingClock::now() + between_interrupts;
      finished_.wait_until(lock, time ? std::min(*time, next) : next,
                           [&] { return done_.load(std::memory_order_relaxed); });
    }
    if (is_done()) break;
    if (time && *time <= ServingClock::now()) return false;
    check_interrupt();
  }
  return true;
}

TensorMap InferenceRequest::get() {
  if (!wait_until(deadline)) expire();
  const std::lock_guard lock(mutex_);
  if (!error_) return std::move(outputs_);
  std::rethrow_exception(error_);
}

}  // namespace mithril
