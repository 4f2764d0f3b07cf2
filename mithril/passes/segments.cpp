#include "mithril/passes/segments.hpp"

#include <algorithm>
#include <deque>

namespace mithril {
namespace {

class SegmentChoice {
 public:
  SegmentChoice(const std::vector<Lifetime>& values, size_t steps)
      : values_(values), saved_before_(steps + 1) {
    for (const Lifetime& value : values) {
      if (value.saved) saved_before_[value.made + 1] += value.bytes;
    }
    for (size_t i = 0; i < steps; ++i) saved_before_[i + 1] += saved_before_[i];
  }

  // The least cost, in kept bytes, of segments that save at most `budget` bytes each, or are one
  // step.
  std::vector<size_t> cuts_for(double budget) const {
    const std::vector<double> crossing = crossing_bytes(budget);
    const size_t steps = saved_before_.size() - 1;
    std::vector<double> cost(steps + 1);
    std::vector<size_t> before(steps + 1);
    std::deque<size_t> best;  // candidates for the start of the segment, by increasing cost
    for (size_t at = 1; at <= steps; ++at) {
      while (!best.empty() && cost[best.back()] >= cost[at - 1]) best.pop_back();
      best.push_back(at - 1);
      while (best.size() > 1 && saved_before_[at] - saved_before_[best.front()] > budget) {
        best.pop_front();
      }
      before[at] = best.front();
      cost[at] = cost[best.front()] + crossing[at];
    }
    std::vector<size_t> cuts;
    for (size_t at = before[steps]; at > 0; at = before[at]) cuts.push_back(at);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  // The kept bytes, plus the most that one segment saves.
  double memory_of(const std::vector<size_t>& cuts) const {
    std::vector<double> saved(cuts.size() + 1);
    double kept = 0;
    for (const Lifetime& value : values_) {
      const size_t segment = segment_of(cuts, value.made);
      if (value.output || segment != segment_of(cuts, value.last_read)) {
        kept += value.bytes;
      } else if (value.saved) {
        saved[segment] += value.bytes;
      }
    }
    return kept + *std::max_element(saved.begin(), saved.end());
  }

  double saved() const { return saved_before_.back(); }

 private:
  static size_t segment_of(const std::vector<size_t>& cuts, size_t step) {
    return static_cast<size_t>(std::upper_bound(cuts.begin(), cuts.end(), step) - cuts.begin());
  }

  // Per cut; excludes values that cross a cut wherever the cuts are.
  std::vector<double> crossing_bytes(double budget) const {
    std::vector<double> bytes(saved_before_.size() + 1);
    for (const Lifetime& value : values_) {
      const double span = saved_before_[value.last_read] - saved_before_[value.made];
      if (value.output || span > budget) continue;
      bytes[value.made + 1] += value.bytes;
      bytes[value.last_read + 1] -= value.bytes;
    }
    for (size_t i = 1; i < bytes.size(); ++i) bytes[i] += bytes[i - 1];
    return bytes;
  }

  const std::vector<Lifetime>& values_;
  std::vector<double> saved_before_;  // bytes of values from earlier steps that the gradient reads
};

}  // namespace

std::vector<size_t> choose_cuts(const std::vector<Lifetime>& values, size_t steps) {
  const SegmentChoice cutting(values, steps);
  std::vector<size_t> chosen;
  double least = cutting.memory_of(chosen);
  for (double segments = 2; segments < static_cast<double>(steps); segments *= 1.25) {
    std::vector<size_t> cuts = cutting.cuts_for(cutting.saved() / segments);
    const double memory = cutting.memory_of(cuts);
    if (memory >= least) continue;
    least = memory;
    chosen = std::move(cuts);
  }
  return chosen;
}

}  // namespace mithril
