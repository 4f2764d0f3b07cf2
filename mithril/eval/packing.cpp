#include "mithril/eval/packing.hpp"

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

// The gaps between what is in use; what lies behind the end is free as well.
class Gaps {
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

std::vector<size_t> sorted(std::span<const Stay> lifetimes,
                           bool (*before)(const Stay&, const Stay&)) {
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return before(lifetimes[a], lifetimes[b]); });
  return order;
}

Packing packed_by_step(std::span<const Stay> lifetimes) {
  // Of what is made in one step the largest comes first, while there are large gaps.
  const auto begins = sorted(lifetimes, [](const Stay& a, const Stay& b) {
    return a.first != b.first ? a.first < b.first : a.bytes > b.bytes;
  });
  const auto ends = sorted(lifetimes, [](const Stay& a, const Stay& b) { return a.last < b.last; });
  Packing packing{.offsets = std::vector<int64_t>(lifetimes.size())};
  Gaps gaps;
  auto ending = ends.begin();
  for (const size_t i : begins) {
    for (; lifetimes[*ending].last < lifetimes[i].first; ++ending) {
      const int64_t bytes = rounded(lifetimes[*ending].bytes);
      if (bytes > 0) gaps.give(packing.offsets[*ending], bytes);
    }
    const int64_t bytes = rounded(lifetimes[i].bytes);
    if (bytes > 0) packing.offsets[i] = gaps.take(bytes);
  }
  packing.bytes = gaps.end();
  return packing;
}

// One after the other, each at the lowest place that is free while it lives.
Packing packed_in_order(std::span<const Stay> lifetimes, const std::vector<size_t>& order) {
  Packing packing{.offsets = std::vector<int64_t>(lifetimes.size())};
  std::vector<size_t> placed;  // by their offsets
  for (const size_t i : order) {
    const int64_t bytes = rounded(lifetimes[i].bytes);
    if (bytes == 0) continue;
    int64_t& offset = packing.offsets[i];
    for (const size_t other : placed) {
      const Stay &a = lifetimes[i], &b = lifetimes[other];
      if (a.last < b.first || b.last < a.first) continue;
      if (packing.offsets[other] >= offset + bytes) break;
      offset = std::max(offset, packing.offsets[other] + rounded(b.bytes));
    }
    placed.insert(std::upper_bound(
                      placed.begin(), placed.end(), i,
                      [&](size_t a, size_t b) { return packing.offsets[a] < packing.offsets[b]; }),
                  i);
    packing.bytes = std::max(packing.bytes, offset + bytes);
  }
  return packing;
}

// Beyond so many lifetimes ways that take their square take long.
constexpr size_t most_in_order = 1024;

}  // namespace

Packing pack(std::span<const Stay> lifetimes) {
  Packing best = packed_by_step(lifetimes);
  if (lifetimes.size() > most_in_order) return best;
  const auto largest_first = sorted(
      lifetimes, [](const Stay& a, const Stay& b) { return rounded(a.bytes) > rounded(b.bytes); });
  const auto longest_first = sorted(
      lifetimes, [](const Stay& a, const Stay& b) { return a.last - a.first > b.last - b.first; });
  for (const std::vector<size_t>& order : {largest_first, longest_first}) {
    Packing other = packed_in_order(lifetimes, order);
    if (other.bytes < best.bytes) best = std::move(other);
  }
  return best;
}

}  // namespace mithril
