// Work partition: ranges, and the number of tasks of a step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {

struct Range {
  int64_t first, last;

  int64_t size() const { return last - first; }
  // Part `i` of `parts` of nearly equal size.
  Range part(int64_t i, int64_t parts) const {
    return {first + size() * i / parts, first + size() * (i + 1) / parts};
  }
};

// Multiplications that pay off one more thread: some microseconds of work.
constexpr int64_t multiplications_grain_size = 1 << 18;

// An amount of work that can be cut into pieces.
struct Work {
  int64_t amount, pieces, grain_size;  // grain_size: the amount that pays off a thread
};

// The number of tasks that pays off: at least 1, at most the number of threads and of pieces.
inline int task_count(const Work& work, int threads) {
  const int64_t worth = std::min(work.amount / work.grain_size, work.pieces);
  return static_cast<int>(std::clamp<int64_t>(worth, 1, threads));
}

// Runs that number of tasks. Each calls body(begin, end, task) for its range of the pieces.
template <typename Body>
void run_ranges(const Work& work, int threads, const Body& body) {
  const int tasks = task_count(work, threads);
  ThreadPool::shared().run(tasks, threads, [&](int task) {
    const Range pieces = Range{0, work.pieces}.part(task, tasks);
    body(pieces.first, pieces.last, task);
  });
}

// How the tasks of a convolution share its groups (images times channel groups).
struct GroupPartition {
  int64_t parts = 1;  // tasks
  bool whole = true;  // each task computes whole groups; otherwise all tasks share each group
};

// For groups of equal size. `multiplications` counts those of all groups.
inline GroupPartition partition_groups(double multiplications, int64_t groups, int threads) {
  constexpr int64_t many = 8;  // with this many groups per thread, whole groups balance the load
  const double worth = std::min<double>(multiplications / multiplications_grain_size, threads);
  const auto parts = std::max(static_cast<int64_t>(worth), int64_t{1});
  return {parts, groups % parts == 0 || groups >= many * parts};
}

}  // namespace mithril::cpu_backend
