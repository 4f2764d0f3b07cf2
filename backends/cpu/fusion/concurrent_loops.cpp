#include "backends/cpu/fusion/concurrent_loops.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backends/cpu/runtime/concurrent_tasks.hpp"
#include "mithril/base/trace.hpp"

namespace mithril::cpu_backend {
namespace {

struct JoinedLoop {
  std::unique_ptr<Loop> loop;
  int64_t scratch;  // the offset of its scratch memory
};

class ConcurrentLoops final : public Step {
 public:
  ConcurrentLoops(std::vector<JoinedLoop> loops, int64_t scratch_bytes, int threads)
      : loops_(std::move(loops)), scratch_bytes_(scratch_bytes), threads_(threads) {}

  int64_t scratch_bytes() const override { return scratch_bytes_; }

  // In a trace one loop runs after the other, so that the times of their steps add up.
  void run(const BufferTable& buffers) const override {
    const auto buffers_of = [&](const JoinedLoop& joined) {
      return buffers.with_scratch(buffers.scratch<std::byte>() + joined.scratch);
    };
    if (current_trace()) {
      for (const JoinedLoop& joined : loops_) joined.loop->run(buffers_of(joined));
      return;
    }
    ConcurrentTasks tasks;
    tasks.run(static_cast<int>(loops_.size()), threads_, [&](int task) {
      const JoinedLoop& joined = loops_[static_cast<size_t>(task)];
      joined.loop->run_task(buffers_of(joined), tasks, task);
    });
  }

 private:
  const std::vector<JoinedLoop> loops_;
  const int64_t scratch_bytes_;
  const int threads_;
};

class LoopJoining {
 public:
  LoopJoining(const LoweringContext& context, LoweredGraph& lowered)
      : context_(context), lowered_(lowered) {}

  void run() {
    for (size_t first = 0; first < steps().size(); ++first) {
      if (!loop_of(steps()[first])) continue;
      const std::vector<size_t> loops = independent_loops(first);
      if (loops.size() > 1 && pays_off(loops)) join(loops);
    }
  }

 private:
  std::vector<StepDescriptor>& steps() { return lowered_.steps; }
  size_t storage(ValueId id) const { return lowered_.storage_of[index(id)]; }
  static Loop* loop_of(const StepDescriptor& descriptor) {
    return dynamic_cast<Loop*>(descriptor.step.get());
  }

  // This loop and later ones. Each reads nothing that one of them makes, directly or through other
  // steps, and no step up to the last of them reads what an earlier one of them makes.
  std::vector<size_t> independent_loops(size_t first) {
    const int64_t length = loop_of(steps()[first])->length();
    std::vector<size_t> found{first};
    std::set<size_t> made = written_by(first);
    for (size_t at = first + 1; at < steps().size() && !reads_any(at, made); ++at) {
      const Loop* const loop = loop_of(steps()[at]);
      if (!loop || loop->length() != length) continue;
      found.push_back(at);
      made.merge(written_by(at));
    }
    return found;
  }

  std::set<size_t> written_by(size_t step) {
    std::set<size_t> made;
    for (const ValueId id : steps()[step].writes) made.insert(storage(id));
    return made;
  }
  bool reads_any(size_t step, const std::set<size_t>& made) {
    const std::vector<ValueId>& reads = steps()[step].reads;
    return std::any_of(reads.begin(), reads.end(),
                       [&](ValueId id) { return made.contains(storage(id)); });
  }

  bool pays_off(const std::vector<size_t>& loops) {
    return static_cast<int>(loops.size()) >= context_.config.threads ||
           std::none_of(loops.begin(), loops.end(),
                        [&](size_t at) { return loop_of(steps()[at])->has_large_steps(); });
  }

  // They run in place of the last one.
  void join(const std::vector<size_t>& at) {
    StepDescriptor all{.kernel = "loop"};
    std::vector<JoinedLoop> loops;
    int64_t scratch = 0;
    for (const size_t step : at) {
      StepDescriptor& one = steps()[step];
      all.reads.insert(all.reads.end(), one.reads.begin(), one.reads.end());
      all.writes.insert(all.writes.end(), one.writes.begin(), one.writes.end());
      all.nodes.insert(all.nodes.end(), one.nodes.begin(), one.nodes.end());
      const int64_t own = one.scratch_bytes();
      loops.push_back({std::unique_ptr<Loop>(static_cast<Loop*>(one.step.release())), scratch});
      scratch += own;
    }
    all.step =
        std::make_unique<ConcurrentLoops>(std::move(loops), scratch, context_.config.threads);
    steps()[at.back()] = std::move(all);
    for (size_t i = at.size() - 1; i-- > 0;)
      steps().erase(steps().begin() + static_cast<ptrdiff_t>(at[i]));
  }

  const LoweringContext& context_;
  LoweredGraph& lowered_;
};

}  // namespace

void join_concurrent_loops(const LoweringContext& context, LoweredGraph& lowered) {
  const Config& config = context.config;
  if (config.threads > 1 && !config.memory_limit && !config.is_nested)
    LoopJoining(context, lowered).run();
}

}  // namespace mithril::cpu_backend
