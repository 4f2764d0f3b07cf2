#include "backends/cpu/runtime/work_partition.hpp"

#include <algorithm>

namespace mithril::cpu_backend {
namespace {

// With this many groups per thread, whole groups balance the load.
constexpr int64_t many = 8;

}  // namespace

int task_count(const Work& work, int threads) {
  const int64_t worth = std::min(work.amount / work.grain_size, work.pieces);
  return static_cast<int>(std::clamp<int64_t>(worth, 1, threads));
}

GroupPartition partition_groups(double multiplications, int64_t groups, int threads) {
  const double worth = std::min<double>(multiplications / multiplications_grain_size, threads);
  const auto parts = std::max(static_cast<int64_t>(worth), int64_t{1});
  return {parts, groups % parts == 0 || groups >= many * parts};
}

}  // namespace mithril::cpu_backend
