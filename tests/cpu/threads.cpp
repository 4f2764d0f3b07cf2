// The thread pool: each task runs once, whatever other threads do.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {
namespace {

// How often each task of one job was done.
std::vector<int> counted(int tasks, int threads) {
  std::vector<std::atomic<int>> counts(static_cast<size_t>(tasks));
  ThreadPool::shared().run(tasks, threads, [&](int task) { ++counts[static_cast<size_t>(task)]; });
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST_CASE("each task runs once") {
  for (int round = 0; round < 2000; ++round) {
    const int tasks = round % 7;
    REQUIRE(counted(tasks, 4) == std::vector<int>(static_cast<size_t>(tasks), 1));
  }
}

TEST_CASE("sleeping helpers wake up") {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(counted(50, 8) == std::vector<int>(50, 1));
  }
}

TEST_CASE("many threads submit jobs at the same time") {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        if (counted(5, 3) != std::vector<int>(5, 1)) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("helpers leave processors to callers without helpers") {
  const int others = processor_count() - 1;
  std::atomic<int> entered = 0;
  std::atomic<bool> first_ends = false, others_end = false;
  const auto run_until = [&](std::atomic<bool>& ended) {
    ThreadPool::shared().run(2, 2, [&](int task) {
      if (task == 0) ++entered;  // in the thread of the caller
      ended.wait(false);
    });
  };
  std::thread first([&] { run_until(first_ends); });
  while (entered < 1) std::this_thread::yield();
  std::vector<std::thread> callers;
  for (int i = 0; i < others; ++i) callers.emplace_back([&] { run_until(others_end); });
  while (entered < 1 + others) std::this_thread::yield();
  first_ends = true;
  first_ends.notify_all();
  first.join();
  // All processors are taken: no helper runs a task.
  std::atomic<int> elsewhere = 0;
  const std::thread::id self = std::this_thread::get_id();
  ThreadPool::shared().run(64, 8, [&](int) {
    if (others > 0 && std::this_thread::get_id() != self) ++elsewhere;
    std::this_thread::yield();
  });
  others_end = true;
  others_end.notify_all();
  for (std::thread& caller : callers) caller.join();
  CHECK(elsewhere == 0);
}

TEST_CASE("writes of a task are visible after the job") {
  std::vector<int> numbers(1000);
  for (int round = 1; round < 200; ++round) {
    ThreadPool::shared().run(10, 4, [&](int task) {
      for (int i = task * 100; i < task * 100 + 100; ++i) numbers[static_cast<size_t>(i)] = round;
    });
    REQUIRE(numbers == std::vector<int>(1000, round));
  }
}

}  // namespace mithril::cpu_backend
