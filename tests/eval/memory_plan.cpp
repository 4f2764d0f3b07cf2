// Values that live at the same time never overlap, and the plan is close to the largest sum of live
// values.
#include "mithril/eval/memory_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace mithril {
namespace {

using LiveRanges = std::vector<LiveRange>;

int64_t rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// The most bytes that are in use in any step.
int64_t most_at_once(const LiveRanges& live_ranges) {
  int64_t most = 0;
  for (const LiveRange& at : live_ranges) {
    int64_t bytes = 0;
    for (const LiveRange& other : live_ranges) {
      if (other.first <= at.first && at.first <= other.last) bytes += rounded(other.bytes);
    }
    most = std::max(most, bytes);
  }
  return most;
}

bool overlap(const LiveRanges& live_ranges, const MemoryPlan& plan) {
  for (size_t i = 0; i < live_ranges.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const LiveRange &a = live_ranges[i], &b = live_ranges[j];
      const bool at_once = a.first <= b.last && b.first <= a.last;
      const bool shared = plan.offsets[i] < plan.offsets[j] + b.bytes &&
                          plan.offsets[j] < plan.offsets[i] + a.bytes;
      if (at_once && shared && a.bytes > 0 && b.bytes > 0) return true;
    }
  }
  return false;
}

LiveRanges random_lifetimes(std::mt19937& random) {
  LiveRanges live_ranges;
  const int32_t count = std::uniform_int_distribution<int32_t>(0, 60)(random);
  for (int32_t step = 0; step < count; ++step) {
    const int32_t length = std::geometric_distribution<int32_t>(0.3)(random);
    const int64_t bytes = std::uniform_int_distribution<int64_t>(0, 5)(random) * 100;
    live_ranges.push_back({bytes, step / 2, step / 2 + length});
  }
  return live_ranges;
}

}  // namespace

TEST_CASE("values that live at once do not overlap") {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const LiveRanges live_ranges = random_lifetimes(random);
    const MemoryPlan plan = plan_memory(live_ranges);
    CHECK_FALSE(overlap(live_ranges, plan));
    for (size_t i = 0; i < live_ranges.size(); ++i) {
      CHECK(plan.offsets[i] % 64 == 0);
      CHECK(plan.offsets[i] + live_ranges[i].bytes <= plan.bytes);
    }
    CHECK(plan.bytes >= most_at_once(live_ranges));
  }
}

TEST_CASE("a chain of equal values needs the memory of two") {
  LiveRanges chain;
  for (int32_t step = 0; step < 100; ++step) chain.push_back({1024, step, step + 1});
  CHECK(plan_memory(chain).bytes == 2048);
}

TEST_CASE(
    "live ranges that grow as in a forward pass need only the memory of those alive at once") {
  // Activations are kept until the way back, largest first there.
  LiveRanges training;
  for (int32_t layer = 0; layer < 20; ++layer) training.push_back({640, layer, 40 - layer});
  for (int32_t layer = 0; layer < 20; ++layer) training.push_back({640, 20 + layer, 21 + layer});
  CHECK(plan_memory(training).bytes == most_at_once(training));
}

TEST_CASE("workspaces are placed below values that live longer") {
  // A network with residuals: one large value, then steps on smaller ones.
  const LiveRanges residual{{3136 * 64, 0, 1}, {784 * 64, 1, 3},  {784 * 64, 2, 3},
                            {784 * 64, 3, 5},  {784 * 64, 4, 5},  {784 * 64, 5, 6},
                            {620 * 64, 0, 0},  {2419 * 64, 2, 2}, {2419 * 64, 3, 3},
                            {2419 * 64, 4, 4}, {2419 * 64, 5, 5}};
  CHECK(plan_memory(residual).bytes == most_at_once(residual));
}

TEST_CASE("random live ranges need little more than the memory of those alive at once") {
  double taken = 0, least = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const LiveRanges live_ranges = random_lifetimes(random);
    taken += static_cast<double>(plan_memory(live_ranges).bytes);
    least += static_cast<double>(most_at_once(live_ranges));
  }
  CHECK(taken <= 1.05 * least);
}

TEST_CASE("a value without elements takes no memory") {
  const MemoryPlan plan = plan_memory(LiveRanges{{0, 0, 3}, {0, 1, 2}});
  CHECK(plan.bytes == 0);
  CHECK(plan_memory({}).bytes == 0);
}

}  // namespace mithril
