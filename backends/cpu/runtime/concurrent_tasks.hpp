// Tasks that take long and may fail.
#pragma once

#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "mithril/base/interrupt.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {

// Throws what the tasks would throw if they ran one after the other. Only the calling thread is
// interrupted.
class ConcurrentTasks {
 public:
  // Whether no one needs the results of the task: one before it has failed, or the call has been
  // interrupted.
  bool may_end(int task) const { return failed_.load(std::memory_order_relaxed) < task; }

  template <typename Task>
  void run(int count, int threads, const Task& run_task) {
    const std::thread::id caller = std::this_thread::get_id();
    ThreadPool::shared().run(count, threads, [&](int task) {
      std::optional<InterruptsHeld> held;
      if (std::this_thread::get_id() != caller) held.emplace();
      try {
        if (!may_end(task)) run_task(task);
      } catch (const Interrupted&) {
        fail(-1);
      } catch (...) {
        fail(task);
      }
    });
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void fail(int task) {
    const std::lock_guard lock(mutex_);
    if (may_end(task)) return;
    error_ = std::current_exception();
    failed_.store(task, std::memory_order_relaxed);
  }

  std::atomic<int> failed_{std::numeric_limits<int>::max()};
  std::mutex mutex_;  // guards error_
  std::exception_ptr error_;
};

}  // namespace mithril::cpu_backend
