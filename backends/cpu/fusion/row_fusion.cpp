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

class Joining {
 public:
  Joining(const LoweringContext& context, LoweredGraph& lowered)
      : context_(context),
        lowered_(lowered),
        place_of_(lowered.steps.size()),
        places_(lowered.steps.size()),
        consumers_(lowered.storages.size()) {
    lowered.find_live_ranges();
    for (size_t step = 0; step < steps().size(); ++step) {
      place_of_[step] = step;
      places_[step] = {{step}, parts_of_writes(steps()[step])};
      for (const ValueId id : steps()[step].reads) consumers_[storage_of(id)].push_back(step);
    }
  }

  void run() {
    for (size_t step = 0; step < steps().size(); ++step) {
      while (places_[place_of_[step]].parts > 0 && join_to_a_producer(place_of_[step])) continue;
    }
    keep_what_is_left();
  }

 private:
  const std::vector<StepDescriptor>& steps() const { return lowered_.steps; }
  size_t storage_of(ValueId id) const { return lowered_.storage_of[index(id)]; }
  bool is_made(size_t storage) const { return !lowered_.storages[storage].given; }
  size_t producer(size_t storage) const {
    return place_of_[static_cast<size_t>(lowered_.storages[storage].first)];
  }

  static int64_t parts_of_writes(const StepDescriptor& descriptor) {
    int64_t all = 0;
    for (const ValueId id : descriptor.writes) {
      const int64_t parts = parts_of(descriptor, id);
      if (parts == 0) return 0;
      all = std::gcd(all, parts);
    }
    return descriptor.scratch_bytes == 0 ? all : 0;
  }

  bool join_to_a_producer(size_t place) {
    for (const size_t step : places_[place].steps) {
      for (const ValueId id : steps()[step].reads) {
        if (!is_made(storage_of(id))) continue;
        const size_t before = producer(storage_of(id));
        if (before != place && places_[before].parts > 0 && join(before, place)) return true;
      }
    }
    return false;
  }

  // Merges two groups at the position of the earlier one, or else at the position of the later one.
  bool join(size_t before, size_t place) {
    Group both = places_[before];
    both.steps.insert(both.steps.end(), places_[place].steps.begin(), places_[place].steps.end());
    both.parts = std::gcd(both.parts, places_[place].parts);
    if (!meet_in_parts(before, place, both.parts)) return false;
    // A coarser partition than both groups have gains nothing.
    if (both.parts < std::min(places_[before].parts, places_[place].parts)) return false;
    if (!fits(both)) return false;
    const bool up = reads_nothing_between(before, place);
    if (!up && is_read_between(before, place)) return false;
    const size_t from = up ? place : before, to = up ? before : place;
    for (const size_t step : places_[from].steps) place_of_[step] = to;
    places_[from] = {};
    places_[to] = std::move(both);
    return true;
  }

  // Reduces `parts` to a partition of all values that `before` makes and `place` reads. False: one
  // of them cannot be cut.
  bool meet_in_parts(size_t before, size_t place, int64_t& parts) const {
    for (const size_t step : places_[place].steps) {
      for (const ValueId id : steps()[step].reads) {
        if (!is_made(storage_of(id)) || producer(storage_of(id)) != before) continue;
        const int64_t read_in = parts_of(steps()[step], id);
        if (read_in == 0) return false;
        parts = std::gcd(parts, read_in);
      }
    }
    return true;
  }

  bool fits(const Group& group) const {
    const int threads = threads_of(context_, lowered_, group);
    return part_bytes(context_.shaped, lowered_, group) <= most_part_bytes &&
           (threads == 1 || group.parts >= fewest_parts * threads);
  }

  bool reads_nothing_between(size_t before, size_t place) const {
    for (const size_t step : places_[place].steps) {
      for (const ValueId id : steps()[step].reads) {
        if (is_made(storage_of(id)) && producer(storage_of(id)) > before &&
            producer(storage_of(id)) != place) {
          return false;
        }
      }
    }
    return true;
  }

  bool is_read_between(size_t before, size_t place) const {
    for (const size_t step : places_[before].steps) {
      for (const ValueId id : steps()[step].writes) {
        for (const size_t consumer : consumers_[storage_of(id)]) {
          const size_t at = place_of_[consumer];
          if (at > before && at < place) return true;
        }
      }
    }
    return false;
  }

  void keep_what_is_left() {
    std::vector<bool> is_own(lowered_.storages.size());
    for (size_t storage = 0; storage < is_own.size(); ++storage) {
      is_own[storage] = is_made(storage) && stays_inside(storage);
    }
    std::vector<StepDescriptor> left;
    for (const Group& group : places_) {
      if (group.steps.empty()) continue;
      left.push_back(group.steps.size() == 1 ? std::move(lowered_.steps[group.steps.front()])
                                             : joined(context_, lowered_, group, is_own));
    }
    for (size_t storage = 0; storage < is_own.size(); ++storage) {
      if (is_own[storage]) lowered_.storages[storage].bytes = 0;
    }
    lowered_.steps = std::move(left);
  }

  // Whether only the group that makes the value reads it.
  bool stays_inside(size_t storage) const {
    const size_t place = producer(storage);
    return places_[place].steps.size() > 1 && !lowered_.storages[storage].kept &&
           std::all_of(consumers_[storage].begin(), consumers_[storage].end(),
                       [&](size_t consumer) { return place_of_[consumer] == place; });
  }

  const LoweringContext& context_;
  LoweredGraph& lowered_;
  std::vector<size_t> place_of_;  // per step: the position of its group
  std::vector<Group> places_;     // the groups in the order in which they run; some are empty
  std::vector<std::vector<size_t>> consumers_;  // per storage: steps
};

}  // namespace

void fuse_rows(const LoweringContext& context, LoweredGraph& lowered) {
  Joining(context, lowered).run();
}

}  // namespace mithril::cpu_backend
