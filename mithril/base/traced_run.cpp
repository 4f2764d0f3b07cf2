#include "mithril/base/traced_run.hpp"

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <utility>

namespace mithril {
namespace {

// Whether there is one, to be read without the mutex.
std::atomic<bool> is_process_traced{false};
std::mutex process_trace_mutex;               // guards the next
std::shared_ptr<StepTrace> trace_of_process;  // shared with the runs that add to it

void forget_process_trace() {
  if (!trace_of_process) return;
  is_process_traced.store(false, std::memory_order_relaxed);
  traces_set.fetch_sub(1, std::memory_order_relaxed);
  trace_of_process = nullptr;
}

// The trace is that of the parent. A forked child begins without one, and may begin its own.
[[maybe_unused]] const int stopped_at_fork =
    pthread_atfork([] { process_trace_mutex.lock(); }, [] { process_trace_mutex.unlock(); },
                   [] {
                     forget_process_trace();
                     process_trace_mutex.unlock();
                   });

}  // namespace

bool begin_process_trace(std::shared_ptr<StepTrace> trace) {
  const std::lock_guard lock(process_trace_mutex);
  if (trace_of_process) return false;
  trace_of_process = std::move(trace);
  is_process_traced.store(true, std::memory_order_relaxed);
  traces_set.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void end_process_trace(const StepTrace& trace) {
  const std::lock_guard lock(process_trace_mutex);
  if (trace_of_process.get() == &trace) forget_process_trace();
}

void TracedRun::begin() {
  trace_ = current_trace();
  if (trace_ || !is_process_traced.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(process_trace_mutex);
  held_ = trace_of_process;
  trace_ = held_.get();
  if (trace_) scope_.emplace(trace_);
}

}  // namespace mithril
