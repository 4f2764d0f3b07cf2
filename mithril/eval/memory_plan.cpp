#include "mithril/eval/memory_plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace mithril {
namespace {

// A line of cache, and of a vector register.
int64_t rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// The gaps between blocks in use; the space after the end is free as well.
class FreeList {
 public:
  int64_t take(int64_t bytes) {
    const auto best = by_size_.lower_bound({bytes, 0});
    if (best == by_size_.end()) return take_at_end(bytes);
    const auto [size, offset] = *best;
    erase(offset, size);
    if (size > bytes) insert(offset + bytes, size - bytes);
    return offset;
  }

  void give(int64_t offset, int64_t bytes) {
    const auto after = by_offset_.lower_bound(offset);
    if (after != by_offset_.end() && after->first == offset + bytes) {
      const auto [at, size] = *after;
      bytes += size;
      erase(at, size);
    }
    const auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.begin()) {
      const auto [at, size] = *std::prev(next);
      if (at + size == offset) {
        erase(at, size);
        offset = at;
        bytes += size;
      }
    }
    insert(offset, bytes);
  }

  int64_t end() const { return end_; }

 private:
  // A gap that touches the end is a beginning.
  int64_t take_at_end(int64_t bytes) {
    int64_t offset = end_;
    if (!by_offset_.empty()) {
      const auto [at, size] = *by_offset_.rbegin();
      if (at + size == end_) {
        erase(at, size);
        offset = at;
      }
    }
    end_ = offset + bytes;
    return offset;
  }

  void insert(int64_t offset, int64_t bytes) {
    by_offset_.emplace(offset, bytes);
    by_size_.emplace(bytes, offset);
  }
  void erase(int64_t offset, int64_t bytes) {
    by_offset_.erase(offset);
    by_size_.erase({bytes, offset});
  }

  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t end_ = 0;
};

std::vector<size_t> sorted(std::span<const LiveRange> live_ranges,
                           bool (*before)(const LiveRange&, const LiveRange&)) {
  std::vector<size_t> order(live_ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return before(live_ranges[a], live_ranges[b]); });
  return order;
}

MemoryPlan planned_by_step(std::span<const LiveRange> live_ranges) {
  // Among values of one step the largest comes first, while there are large gaps.
  const auto begins = sorted(live_ranges, [](const LiveRange& a, const LiveRange& b) {
    return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
  });
  const auto ends =
      sorted(live_ranges, [](const LiveRange& a, const LiveRange& b) { return a.last < b.last; });
  MemoryPlan plan{.offsets = std::vector<int64_t>(live_ranges.size())};
  FreeList free_list;
  auto ending = ends.begin();
  for (const size_t i : begins) {
    for (; live_ranges[*ending].last < live_ranges[i].first; ++ending) {
      const int64_t bytes = rounded(live_ranges[*ending].bytes);
      if (bytes > 0) free_list.give(plan.offsets[*ending], bytes);
    }
    const int64_t bytes = rounded(live_ranges[i].bytes);
    if (bytes > 0) plan.offsets[i] = free_list.take(bytes);
  }
  plan.bytes = free_list.end();
  return plan;
}

// One after the other, each at the lowest place that is free while it lives.
MemoryPlan planned_in_order(std::span<const LiveRange> live_ranges,
                            const std::vector<size_t>& order) {
  MemoryPlan plan{.offsets = std::vector<int64_t>(live_ranges.size())};
  std::vector<size_t> placed;  // by their offsets
  for (const size_t i : order) {
    const int64_t bytes = rounded(live_ranges[i].bytes);
    if (bytes == 0) continue;
    int64_t& offset = plan.offsets[i];
    for (const size_t other : placed) {
      const LiveRange &a = live_ranges[i], &b = live_ranges[other];
      if (a.last < b.first || b.last < a.first) continue;
      if (plan.offsets[other] >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[other] + rounded(b.bytes));
    }
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), i,
                         [&](size_t a, size_t b) { return plan.offsets[a] < plan.offsets[b]; }),
        i);
    plan.bytes = std::max(plan.bytes, offset + bytes);
  }
  return plan;
}

// Above this number of live ranges, quadratic strategies take too long.
constexpr size_t most_in_order = 1024;

}  // namespace

MemoryPlan plan_memory(std::span<const LiveRange> live_ranges) {
  MemoryPlan best = planned_by_step(live_ranges);
  if (live_ranges.size() > most_in_order) return best;
  const auto largest_first = sorted(live_ranges, [](const LiveRange& a, const LiveRange& b) {
    return rounded(a.bytes) > rounded(b.bytes);
  });
  const auto longest_first = sorted(live_ranges, [](const LiveRange& a, const LiveRange& b) {
    return a.last - a.first > b.last - b.first;
  });
  for (const std::vector<size_t>& order : {largest_first, longest_first}) {
    MemoryPlan other = planned_in_order(live_ranges, order);
    if (other.bytes < best.bytes) best = std::move(other);
  }
  return best;
}

}  // namespace mithril
