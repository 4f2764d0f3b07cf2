// Runs a GEMM, and packs its B, on several threads.
#pragma once

#include <vector>

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/runtime/work_partition.hpp"
#include "mithril/base/thread_pool.hpp"

namespace mithril::cpu_backend {

// Packs all panels of B in `parts` parts. `packed` has room for GemmPlan::packed_count() elements.
template <typename T>
void pack_in_parts(const Gemm<T>& gemm, int64_t parts, int threads, T* packed) {
  const Range panels{0, GemmPlan(gemm).panels()};
  ThreadPool::shared().run(static_cast<int>(parts), threads, [&](int part) {
    const Range own = panels.part(part, parts);
    pack_b(gemm, own.first, own.last, packed);
  });
}

// The blocks of C, one for each task, for GEMMs with one plan.
class GemmTasks {
 public:
  GemmTasks(const GemmPlan& plan, int threads) : plan_(plan), threads_(threads) {
    for (int task = 0; task < plan.tasks(threads); ++task)
      blocks_.push_back(plan.block(task, threads));
  }

  int64_t count() const { return static_cast<int64_t>(blocks_.size()); }

  template <typename T>
  void run(const Gemm<T>& gemm) const {
    ThreadPool::shared().run(static_cast<int>(blocks_.size()), threads_, [&](int task) {
      multiply(gemm, plan_, blocks_[static_cast<size_t>(task)]);
    });
  }

 private:
  GemmPlan plan_;
  int threads_;
  std::vector<BlockOfC> blocks_;
};

}  // namespace mithril::cpu_backend
