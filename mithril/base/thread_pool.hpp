// Threads of this process that kernels share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace mithril {

// A job is a number of tasks. The calling thread and the helpers take them one by one. The caller
// never waits for a helper that has not taken a task, so a busy processor costs time in proportion.
// Only one caller at a time uses the helpers; other callers run their tasks themselves, and so does
// a task that runs a job.
class ThreadPool {
 public:
  // The pool of the process, which is never destroyed. A forked child creates its own, because it
  // does not inherit the threads of its parent.
  static ThreadPool& shared();

  // Calls task(i) for each i below `tasks`, in any order, on at most `threads` threads: this one
  // and helpers. Tasks must not throw.
  template <typename Task>
  void run(int tasks, int threads, const Task& task) {
    static_assert(std::is_invocable_v<const Task&, int>);
    if (tasks == 1 || threads <= 1) {
      for (int i = 0; i < tasks; ++i) task(i);
    } else if (tasks > 0) {
      run_shared({[](const void* task, int i) { (*static_cast<const Task*>(task))(i); }, &task},
                 tasks, threads);
    }
  }

 private:
  struct Job {
    void (*call)(const void* task, int i);
    const void* task;
  };
  class Helper;

  ThreadPool() = default;
  ~ThreadPool() = default;
  void run_shared(Job job, int tasks, int threads);
  int add_helpers(int wanted);  // returns the number of helpers, at most `wanted`
  void wake_helpers(int wanted);
  // Runs tasks of this epoch until none is left, and returns how many it has run.
  int work(uint32_t epoch);
  [[noreturn]] void help(Helper& helper);

  // Helpers poll one cache line, whose transfer between processors takes 0.1 microseconds: the
  // epoch, which counts jobs, and the next free task, 32 bits each.
  alignas(64) std::atomic<uint64_t> next_{0};
  // May change while helpers read them. A helper only runs a task if the epoch has not changed.
  std::atomic<void (*)(const void*, int)> call_{nullptr};
  std::atomic<const void*> task_{nullptr};
  std::atomic<int> tasks_{0}, helping_{0};  // only helpers with a number below `helping_` take part
  std::atomic<int> done_{0};                // by helpers
  alignas(64) std::atomic<uint32_t> wakes_{0};  // sleeping helpers wait for it
  std::mutex busy_;                             // held by the caller that has the helpers
  std::vector<std::unique_ptr<Helper>> helpers_;
};

// The number of processors that this process may use.
int processor_count();

}  // namespace mithril
