#include "backends/cpu/fusion/row_fusion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "backends/cpu/fusion/fused_rows.hpp"

namespace mithril::cpu_backend {
namespace {

// The most bytes of one part of all values of a group, so that they stay in the second-level cache.
constexpr int64_t most_part_bytes = 1 << 18;
// The fewest parts per thread, for load balance.
constexpr int64_t fewest_parts = 4;

class RowFusion {
 public:
  RowFusion(const LoweringContext& context, LoweredGraph& lowered)
      : context_(context),
        lowered_(lowered),
        group_of_(lowered.steps.size()),
        groups_(lowered.steps.size()),
        consumers_(lowered.storages.size()) {
    lowered.find_live_ranges();
    for (size_t step = 0; step < steps().size(); ++step) {
      group_of_[step] = step;
      groups_[step] = {{step}, common_parts(steps()[step])};
      for (const ValueId id : steps()[step].reads) consumers_[storage_of(id)].push_back(step);
    }
  }

  void run() {
    for (size_t step = 0; step < steps().size(); ++step) {
      while (groups_[group_of_[step]].parts > 0 && merge_with_producer(group_of_[step])) continue;
    }
    rebuild_steps();
  }

 private:
  const std::vector<StepDescriptor>& steps() const { return lowered_.steps; }
  size_t storage_of(ValueId id) const { return lowered_.storage_of[index(id)]; }
  bool is_made(size_t storage) const { return !lowered_.storages[storage].given; }
  size_t producer(size_t storage) const {
    return group_of_[static_cast<size_t>(lowered_.storages[storage].first)];
  }

  static int64_t common_parts(const StepDescriptor& descriptor) {
    int64_t all = 0;
    for (const ValueId id : descriptor.writes) {
      const int64_t parts = parts_of(descriptor, id);
      if (parts == 0) return 0;
      all = std::gcd(all, parts);
    }
    return descriptor.scratch_bytes() == 0 ? all : 0;
  }

  // Calls visit(descriptor, id, producer) for what the group reads and other steps make, until a
  // call returns true. Returns whether one did.
  template <typename Visit>
  bool any_read(size_t group, const Visit& visit) const {
    for (const size_t step : groups_[group].steps) {
      for (const ValueId id : steps()[step].reads) {
        if (is_made(storage_of(id)) && visit(steps()[step], id, producer(storage_of(id)))) {
          return true;
        }
      }
    }
    return false;
  }

  bool merge_with_producer(size_t later) {
    return any_read(later, [&](const StepDescriptor&, ValueId, size_t earlier) {
      return earlier != later && groups_[earlier].parts > 0 && merge(earlier, later);
    });
  }

  // Merges two groups at the position of the earlier one, or else at the position of the later one.
  bool merge(size_t earlier, size_t later) {
    RowGroup both = groups_[earlier];
    both.steps.insert(both.steps.end(), groups_[later].steps.begin(), groups_[later].steps.end());
    both.parts = std::gcd(both.parts, groups_[later].parts);
    if (!restrict_partition(earlier, later, both.parts)) return false;
    // A coarser partition than both groups have gains nothing.
    if (both.parts < std::min(groups_[earlier].parts, groups_[later].parts)) return false;
    if (!fits(both)) return false;
    const bool moves_up = can_move_up(earlier, later);
    if (!moves_up && blocks_move_down(earlier, later)) return false;
    const size_t from = moves_up ? later : earlier, to = moves_up ? earlier : later;
    for (const size_t step : groups_[from].steps) group_of_[step] = to;
    groups_[from] = {};
    groups_[to] = std::move(both);
    return true;
  }

  // Reduces `parts` to a partition of all values that `earlier` makes and `later` reads. False: one
  // of them cannot be cut.
  bool restrict_partition(size_t earlier, size_t later, int64_t& parts) const {
    return !any_read(later, [&](const StepDescriptor& step, ValueId id, size_t producer) {
      if (producer != earlier) return false;
      const int64_t read_in = parts_of(step, id);
      parts = std::gcd(parts, read_in);
      return read_in == 0;
    });
  }

  bool fits(const RowGroup& group) const {
    const int threads = threads_of(context_, lowered_, group);
    return part_bytes(context_.shaped, lowered_, group) <= most_part_bytes &&
           (threads == 1 || group.parts >= fewest_parts * threads);
  }

  bool can_move_up(size_t earlier, size_t later) const {
    return !any_read(later, [&](const StepDescriptor&, ValueId, size_t producer) {
      return producer > earlier && producer != later;
    });
  }

  bool blocks_move_down(size_t earlier, size_t later) const {
    for (const size_t step : groups_[earlier].steps) {
      for (const ValueId id : steps()[step].writes) {
        for (const size_t consumer : consumers_[storage_of(id)]) {
          const size_t at = group_of_[consumer];
          if (at > earlier && at < later) return true;
        }
      }
    }
    return false;
  }

  void rebuild_steps() {
    std::vector<bool> is_private(lowered_.storages.size());
    for (size_t storage = 0; storage < is_private.size(); ++storage) {
      is_private[storage] = is_made(storage) && stays_in_group(storage);
    }
    std::vector<StepDescriptor> left;
    for (const RowGroup& group : groups_) {
      if (group.steps.empty()) continue;
      left.push_back(group.steps.size() == 1
                         ? std::move(lowered_.steps[group.steps.front()])
                         : fused_descriptor(context_, lowered_, group, is_private));
    }
    lowered_.steps = std::move(left);
  }

  // Whether only the group that makes the value reads it.
  bool stays_in_group(size_t storage) const {
    const size_t group = producer(storage);
    return groups_[group].steps.size() > 1 && !lowered_.storages[storage].kept &&
           std::all_of(consumers_[storage].begin(), consumers_[storage].end(),
                       [&](size_t consumer) { return group_of_[consumer] == group; });
  }

  const LoweringContext& context_;
  LoweredGraph& lowered_;
  std::vector<size_t> group_of_;  // per step: the position of its group
  std::vector<RowGroup> groups_;  // the groups in the order in which they run; some are empty
  std::vector<std::vector<size_t>> consumers_;  // per storage: steps
};

}  // namespace

void fuse_rows(const LoweringContext& context, LoweredGraph& lowered) {
  RowFusion(context, lowered).run();
}

}  // namespace mithril::cpu_backend
