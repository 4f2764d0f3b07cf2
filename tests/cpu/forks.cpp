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

}  // namespace

TEST_CASE("a forked child has its own helpers") {
  // The helpers of the parent sleep, and the next job wakes them.
  counted(8);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int status = status_of_child([] {
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    const std::thread::id caller = std::this_thread::get_id();
    for (int round = 0; round < 50; ++round) {
      if (counted(8) != std::vector<int>(8, 1)) return 1;
      // The caller has a task, in which it waits until a helper has another one.
      std::atomic<int> others{0};
      const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(5);
      ThreadPool::shared().run(4, 4, [&](int) {
        if (std::this_thread::get_id() != caller) ++others;
        while (processor_count() > 1 && others == 0 && std::chrono::steady_clock::now() < limit)
          std::this_thread::yield();
      });
      if (processor_count() > 1 && others == 0) return 3;
    }
    sched_getaffinity(0, sizeof after, &after);
    return CPU_EQUAL(&before, &after) ? 0 : 2;
  });
  CHECK(status == 0);
  CHECK(counted(8) == std::vector<int>(8, 1));
}

TEST_CASE("a child that is forked while the pool is in use has its own pool") {
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    while (!ends) counted(50);
  });
  for (int round = 0; round < 20; ++round) {
    const int status =
        status_of_child([] { return counted(50) == std::vector<int>(50, 1) ? 0 : 1; });
    CHECK(status == 0);
  }
  ends = true;
  busy.join();
}

}  // namespace mithril
