// The thread pool in forked children, which inherit no threads.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "mithril/base/thread_pool.hpp"

namespace mithril {
namespace {

// Runs the function in a child process and returns its exit status; -1 if a signal ended it.
template <typename Do>
int status_of_child(const Do& what) {
  const pid_t child = fork();
  if (child == 0) _exit(what());
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<int> counted(int tasks) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(tasks));
  ThreadPool::shared().run(tasks, 4, [&](int task) { ++counts[static_cast<size_t>(task)]; });
  return {counts.begin(), counts.end()};
}

// Runs a job of two tasks on two threads. The caller waits in its task until a helper runs the
// other one; false if none does within five minutes.
bool helper_takes_task() {
  if (processor_count() == 1) return true;
  const std::thread::id caller = std::this_thread::get_id();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  std::atomic<bool> taken{false};
  ThreadPool::shared().run(2, 2, [&](int) {
    if (std::this_thread::get_id() != caller) taken = true;
    while (!taken && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  });
  return taken;
}

}  // namespace

TEST_CASE("a forked child has its own helpers") {
  // The helper of the parent sleeps, and the next job wakes it.
  CHECK(helper_takes_task());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int status = status_of_child([] {
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    for (int round = 0; round < 50; ++round) {
      if (counted(8) != std::vector<int>(8, 1)) return 1;
      if (!helper_takes_task()) return 3;
    }
    sched_getaffinity(0, sizeof after, &after);
    return CPU_EQUAL(&before, &after) ? 0 : 2;
  });
  CHECK(status == 0);
  CHECK(counted(8) == std::vector<int>(8, 1));
}

// AddressSanitizer of clang 14 does not release its allocator's locks in a forked child. So no
// thread of the parent allocates or starts when this test forks.
TEST_CASE("a child that is forked while the pool is in use has its own pool") {
  CHECK(helper_takes_task());
  std::atomic<bool> ends{false};
  std::atomic<bool> runs{false};
  std::thread busy([&] {
    while (!ends) ThreadPool::shared().run(50, 2, [&](int) { runs = true; });
  });
  while (!runs) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    const int status =
        status_of_child([] { return counted(50) == std::vector<int>(50, 1) ? 0 : 1; });
    CHECK(status == 0);
  }
  ends = true;
  busy.join();
}

}  // namespace mithril
