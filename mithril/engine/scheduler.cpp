#include "mithril/engine/scheduler.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/engine/engine_errors.hpp"
#include "mithril/engine/run_requests.hpp"
#include "mithril/engine/take_batch.hpp"

namespace mithril {

void Scheduler::end() {
  const InterruptsHeld held;
  shut_down(ServingClock::now());
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& worker : workers_) {
    if (worker.get_id() == std::this_thread::get_id()) {
      worker.detach();
    } else {
      worker.join();
    }
  }
}

bool Scheduler::try_acquire() {
  int now = free_.load(std::memory_order_seq_cst);
  while (now > 0) {
    if (free_.compare_exchange_weak(now, now - 1, std::memory_order_seq_cst)) return true;
  }
  return false;
}

// A thread that waits is counted before it looks, so that either it sees the free slot or it is
// seen here.
void Scheduler::release() {
  free_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  slot_freed_.notify_all();
}

// Waits until `is_over`, and returns it: false at the deadline and if the wait is cancelled. Throws
// Interrupted. The lock is free then: an interrupt may need a lock that another thread holds.
template <typename IsOver>
bool Scheduler::wait_for(std::unique_lock<std::mutex>& lock, const WaitLimit& limit,
                         const IsOver& is_over) {
  constexpr std::chrono::milliseconds between_interrupts(50);
  while (true) {
    const ServingClock::time_point next = ServingClock::now() + between_interrupts;
    const auto until = limit.deadline ? std::min(*limit.deadline, next) : next;
    if (slot_freed_.wait_until(lock, limit.cancellation, until, is_over)) return true;
    if (limit.cancellation.stop_requested()) return false;
    if (limit.deadline && *limit.deadline <= ServingClock::now()) return false;
    lock.unlock();
    try {
      check_interrupt();
    } catch (const Interrupted&) {
      lock.lock();
      throw;
    }
    lock.lock();
  }
}

void Scheduler::acquire(const SlotRequest& request) {
  if (!shut_down_.load(std::memory_order_relaxed) && try_acquire()) return;
  std::unique_lock lock(mutex_);
  check_open(request.queue, request.name, request.counters);
  if (request.counters.waiting >= request.max_queue) {
    ServingCounters::add(request.counters.rejected);
    refuse_full_queue(request.name, request.max_queue);
  }
  ++request.counters.waiting, ++callers_, ++sleepers_;
  const auto leave = [&] { --request.counters.waiting, --callers_, --sleepers_; };
  bool acquired = false;
  const auto is_over = [&] { return request.queue.closed || drops_ || (acquired = try_acquire()); };
  try {
    wait_for(lock, {request.deadline, request.cancellation}, is_over);
  } catch (const Interrupted&) {
    leave();
    slot_freed_.notify_all();
    ServingCounters::add(request.counters.cancelled);
    throw;
  }
  leave();
  if (acquired) return;
  slot_freed_.notify_all();
  if (request.queue.closed || drops_) {
    ServingCounters::add(request.counters.cancelled);
    std::rethrow_exception(request.queue.closed ? unloaded_error(request.name) : shut_down_error());
  }
  const bool is_cancelled = request.cancellation.stop_requested();
  ServingCounters::add(is_cancelled ? request.counters.cancelled : request.counters.expired);
  std::rethrow_exception(is_cancelled ? cancelled_error(request.name)
                                      : deadline_error(request.name));
}

void Scheduler::check_open(const RequestQueue& queue, const std::string& name,
                           ServingCounters& counters) const {
  if (!shut_down_ && !queue.closed) return;
  ServingCounters::add(counters.cancelled);
  std::rethrow_exception(shut_down_ ? shut_down_error() : unloaded_error(name));
}

bool Scheduler::try_acquire(const RequestQueue& queue, const std::string& name,
                            ServingCounters& counters) {
  const std::lock_guard lock(mutex_);
  check_open(queue, name, counters);
  return queue.waiting.empty() && free_ == slots_ && try_acquire();
}

// Returns whether a worker must look at the queue.
bool Scheduler::add(const Arrival& arrival) {
  const std::shared_ptr<RequestQueue>& queue = arrival.queue;
  const InferenceRequest& request = *arrival.request;
  check_open(*queue, request.name, *request.counters);
  const std::size_t most = request.model->options().max_queue;
  if (queue->waiting.size() >= most) remove_done(*queue);
  if (queue->waiting.size() >= most) {
    ServingCounters::add(request.counters->rejected);
    refuse_full_queue(request.name, most);
  }
  try {
    start_workers();
    if (!queue->active) active_.reserve(active_.size() + 1);
    queue->waiting.push_back(arrival.request);
  } catch (...) {
    ServingCounters::add(request.counters->failed);
    throw;
  }
  arrival.request->enter_queue();
  if (!queue->active) active_.push_back(queue);
  return !std::exchange(queue->active, true) || is_full(*queue);
}

void Scheduler::push(std::span<Arrival> arrivals) {
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    for (Arrival& arrival : arrivals) {
      try {
        is_news = add(arrival) || is_news;
      } catch (...) {
        arrival.refusal = std::current_exception();
      }
    }
  }
  if (is_news) changed_.notify_one();
}

void Scheduler::close(RequestQueue& queue) {
  const auto next = [&]() -> std::shared_ptr<InferenceRequest> {
    const std::lock_guard lock(mutex_);
    queue.closed = true;
    if (queue.waiting.empty()) slot_freed_.notify_all();  // callers that wait in their own threads
    return queue.waiting.empty() ? nullptr : take_first(queue);
  };
  while (const auto request = next()) request->end_by_unload();
}

bool Scheduler::is_idle() const {
  const bool has_waiting = std::any_of(active_.begin(), active_.end(),
                                       [](const auto& queue) { return !queue->waiting.empty(); });
  return !has_waiting && callers_ == 0 && free_ == slots_;
}

void Scheduler::shut_down(std::optional<ServingClock::time_point> until) {
  {
    std::unique_lock lock(mutex_);
    shut_down_ = true;
    changed_.notify_all();
    ++sleepers_;
    try {
      wait_for(lock, {until, {}}, [&] { return is_idle(); });
    } catch (const Interrupted&) {
      --sleepers_;
      throw;
    }
    --sleepers_;
    drops_ = true;
    slot_freed_.notify_all();
  }
  const auto next = [&]() -> std::shared_ptr<InferenceRequest> {
    const std::lock_guard lock(mutex_);
    for (const auto& queue : active_) {
      if (!queue->waiting.empty()) return take_first(*queue);
    }
    return nullptr;
  };
  while (const auto request = next()) request->end_by_shut_down();
}

// Fewer workers than slots are slower, but answer every request.
void Scheduler::start_workers() {
  try {
    while (static_cast<int>(workers_.size()) < slots_)
      workers_.emplace_back([self = shared_from_this()] { self->work(); });
  } catch (const std::system_error& error) {
    if (workers_.empty()) refuse_without_threads(error.code().message());
  }
}

void Scheduler::wait_for_slot(std::unique_lock<std::mutex>& lock) {
  ++sleepers_;
  slot_freed_.wait(lock, [&] { return try_acquire(); });
  --sleepers_;
}

Scheduler::Next Scheduler::find_next(ServingClock::time_point now) {
  Next next;
  const auto consider = [&](ServingClock::time_point time) {
    if (!next.time || time < *next.time) next.time = time;
  };
  for (const auto& queue : active_) {
    for (const auto& request : queue->waiting) {
      if (!request->deadline) continue;
      if (*request->deadline <= now) {
        request->expire();
      } else {
        consider(*request->deadline);
      }
    }
    remove_done(*queue);
    queue->active = !queue->waiting.empty();
    if (!queue->active) continue;
    const InferenceRequest& first = *queue->waiting.front();
    const ServingClock::time_point end = end_of_delay(first);
    if (!shut_down_ && end > now && !is_full(*queue)) {
      consider(end);
    } else if (!next.ready || first.created < next.ready->waiting.front()->created) {
      next.ready = queue;
    }
  }
  std::erase_if(active_, [](const auto& queue) { return !queue->active; });
  return next;
}

// Runs the next batch of the queue in the slot that the worker has, and frees the slot.
void Scheduler::run_batch(RequestQueue& queue, std::unique_lock<std::mutex>& lock) {
  Requests batch;
  std::shared_ptr<InferenceRequest> failed;
  std::exception_ptr error;
  try {
    batch = take_batch(queue);
  } catch (...) {  // there is no memory for a batch
    error = std::current_exception();
    failed = take_first(queue);
  }
  // Another worker takes over the queues that this one has watched.
  changed_.notify_one();
  lock.unlock();
  if (failed) failed->fail(std::move(error));
  if (!batch.empty()) run_requests(batch);
  batch.clear();
  failed.reset();
  release();
  lock.lock();
}

// No exception leaves it: that would end the process.
void Scheduler::work() {
  bool has_slot = false;
  std::unique_lock lock(mutex_);
  while (true) {
    const Next next = find_next(ServingClock::now());
    if (next.ready && !has_slot) {
      has_slot = true;
      if (!try_acquire()) wait_for_slot(lock);
      continue;  // another worker may have taken the batch meanwhile
    }
    if (next.ready) {
      run_batch(*next.ready, lock);
      has_slot = false;
      continue;
    }
    if (has_slot) {
      free_.fetch_add(1, std::memory_order_seq_cst);
      slot_freed_.notify_all();
      has_slot = false;
    }
    if (ended_) return;
    if (next.time) {
      changed_.wait_until(lock, *next.time);
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace mithril
