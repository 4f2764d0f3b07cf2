#include "mithril/base/thread_pool.hpp"

#include <pthread.h>
#ifdef __linux__
#include <sched.h>
#endif

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "mithril/base/trace.hpp"

namespace mithril {
namespace {

// About a tenth of a millisecond: as long as a helper looks for work before it sleeps.
constexpr int spins = 4000;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

uint32_t epoch_of(uint64_t next) { return static_cast<uint32_t>(next >> 32); }
int task_of(uint64_t next) { return static_cast<int>(static_cast<uint32_t>(next)); }
uint64_t beginning(uint32_t epoch) { return uint64_t{epoch} << 32; }
// While a job is written down, none of its tasks may be taken.
uint64_t closed(uint32_t epoch) { return beginning(epoch) | INT32_MAX; }
bool is_closed(uint64_t next) { return task_of(next) == INT32_MAX; }

// Callers that run a job now, with helpers or without.
std::atomic<int> callers{0};
class CountedCaller {
 public:
  CountedCaller() { callers.fetch_add(1, std::memory_order_relaxed); }
  ~CountedCaller() { callers.fetch_sub(1, std::memory_order_relaxed); }
  CountedCaller(const CountedCaller&) = delete;
  CountedCaller& operator=(const CountedCaller&) = delete;
};

// Null before the first use in this process.
std::atomic<ThreadPool*> pool_of_process{nullptr};
[[maybe_unused]] const int left_at_fork = pthread_atfork(nullptr, nullptr, [] {
  pool_of_process.store(nullptr);
  callers.store(0);  // other threads of the parent
});

// The first exception of a job, which the caller that owns the helpers rethrows.
std::atomic<bool> has_thrown{false};
std::exception_ptr thrown;

// The trace that helpers add their work for the job to, and the thread that runs it; null: none.
// Written and read as the members of the pool that describe the job.
std::atomic<StepTrace*> trace_of_job{nullptr};
std::atomic<std::thread::id> caller_of_job{};

// Whether this thread runs a task of a job.
thread_local constinit bool runs_task = false;

void call_and_keep_exception(void (*call)(const void*, int), const void* task, int i) {
  runs_task = true;
  try {
    call(task, i);
  } catch (...) {
    if (!has_thrown.exchange(true)) thrown = std::current_exception();
  }
  runs_task = false;
}

}  // namespace

class ThreadPool::Helper {
 public:
  Helper(ThreadPool& pool, int helper_number)
      : number(helper_number), thread_([&pool, this] { pool.help(*this); }) {
    handle_ = thread_.native_handle();
    thread_.detach();
  }

  const int number;
  std::atomic<bool> sleeps{false};

  // Linux tends to wake a thread on the processor of its waker, and to leave it there.
  void keep_off_this_processor() {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    CPU_CLR(static_cast<size_t>(sched_getcpu()), &allowed);
    if (CPU_COUNT(&allowed) > 0) pthread_setaffinity_np(handle_, sizeof allowed, &allowed);
#endif
  }

 private:
  std::thread thread_;
  std::thread::native_handle_type handle_;
};

ThreadPool& ThreadPool::shared() {
  // Never destroyed: helpers may look at it until the process is gone.
  ThreadPool* pool = pool_of_process.load(std::memory_order_acquire);
  if (pool) return *pool;
  auto* made = new ThreadPool();
  if (pool_of_process.compare_exchange_strong(pool, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *pool;
}

void ThreadPool::run_shared(Job job, int tasks, int threads) {
  const auto run_alone = [&] {
    for (int i = 0; i < tasks; ++i) job.call(job.task, i);
  };
  if (runs_task) return run_alone();
  const CountedCaller counted;
  const std::unique_lock lock(busy_, std::try_to_lock);
  if (!lock) return run_alone();
  // Callers without helpers use processors, too.
  const int others = callers.load(std::memory_order_relaxed) - 1;
  const int free = std::max(1, processor_count() - others);
  const int helping = add_helpers(std::min({threads, tasks, free}) - 1);
  const uint32_t epoch = epoch_of(next_.load(std::memory_order_relaxed)) + 1;
  // A helper that still looks at the last job sees that it has ended once it sees any state of this
  // one.
  next_.store(closed(epoch), std::memory_order_relaxed);
  call_.store(job.call, std::memory_order_release);
  task_.store(job.task, std::memory_order_release);
  tasks_.store(tasks, std::memory_order_release);
  StepTrace* const trace = current_trace();
  trace_of_job.store(trace, std::memory_order_release);
  if (trace) caller_of_job.store(std::this_thread::get_id(), std::memory_order_release);
  helping_.store(helping, std::memory_order_release);
  done_.store(0, std::memory_order_release);
  // The first task is taken already.
  next_.store(beginning(epoch) + 1, std::memory_order_seq_cst);
  wake_helpers(helping);
  call_and_keep_exception(job.call, job.task, 0);
  const int done = 1 + work(epoch);
  while (done_.load(std::memory_order_acquire) + done != tasks) relax();
  if (has_thrown.exchange(false)) std::rethrow_exception(std::exchange(thrown, nullptr));
}

int ThreadPool::work(uint32_t epoch) {
  int done = 0;
  uint64_t next = next_.load(std::memory_order_acquire);
  while (epoch_of(next) == epoch) {
    const auto call = call_.load(std::memory_order_acquire);
    const void* task = task_.load(std::memory_order_acquire);
    // The caller has just written it. The transfer overlaps with taking the task.
    __builtin_prefetch(task);
    __builtin_prefetch(static_cast<const char*>(task) + 64);
    if (task_of(next) >= tasks_.load(std::memory_order_acquire)) break;
    if (!next_.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
    call_and_keep_exception(call, task, task_of(next));
    ++done;
    next = next_.load(std::memory_order_acquire);
  }
  return done;
}

int ThreadPool::add_helpers(int wanted) {
  try {
    helpers_.reserve(static_cast<size_t>(std::max(wanted, 0)));
    while (static_cast<int>(helpers_.size()) < wanted) {
      helpers_.push_back(std::make_unique<Helper>(*this, static_cast<int>(helpers_.size())));
    }
  } catch (const std::system_error&) {
    // There are no more threads to be had.
  } catch (const std::bad_alloc&) {
    // There is no memory for more threads.
  }
  return std::min(wanted, static_cast<int>(helpers_.size()));
}

void ThreadPool::wake_helpers(int wanted) {
  bool any = false;
  for (int i = 0; i < wanted; ++i) {
    Helper& helper = *helpers_[static_cast<size_t>(i)];
    if (!helper.sleeps.load(std::memory_order_seq_cst)) continue;
    helper.keep_off_this_processor();
    any = true;
  }
  if (!any) return;
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  wakes_.notify_all();
}

void ThreadPool::help(Helper& helper) {
  uint32_t seen = 0, epoch = 0;
  const auto is_news = [&] {
    const uint64_t next = next_.load(std::memory_order_seq_cst);
    epoch = epoch_of(next);
    return epoch != seen && !is_closed(next);
  };
  while (true) {
    for (int i = 0; i < spins && !is_news(); ++i) relax();
    if (!is_news()) {
      // A caller either sees that this one sleeps, or is seen here.
      const uint32_t wakes = wakes_.load(std::memory_order_seq_cst);
      helper.sleeps.store(true, std::memory_order_seq_cst);
      if (!is_news()) wakes_.wait(wakes, std::memory_order_seq_cst);
      helper.sleeps.store(false, std::memory_order_seq_cst);
      continue;
    }
    seen = epoch;
    if (helper.number >= helping_.load(std::memory_order_acquire)) continue;
    // Those of a later job do not matter: then this thread finds no task.
    StepTrace* const trace = trace_of_job.load(std::memory_order_acquire);
    const TraceTicks start = trace ? trace_ticks() : TraceTicks{};
    const int done = work(seen);
    if (done == 0) continue;
    // The caller waits for the tasks, so the trace exists until they are counted.
    if (trace) trace->add_work(caller_of_job.load(std::memory_order_acquire), start, trace_ticks());
    done_.fetch_add(done, std::memory_order_release);
  }
}

int processor_count() {
  static const int count = [] {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return count;
}

}  // namespace mithril
