// Values that live at once never overlap, and take little more than the most that live at once.
#include "mithril/eval/packing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace mithril {
namespace {

using Lifetimes = std::vector<Stay>;

int64_t rounded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// The most bytes that are in use in any step.
int64_t most_at_once(const Lifetimes& lifetimes) {
  int64_t most = 0;
  for (const Stay& at : lifetimes) {
    int64_t bytes = 0;
    for (const Stay& other : lifetimes) {
      if (other.first <= at.first && at.first <= other.last) bytes += rounded(other.bytes);
    }
    most = std::max(most, bytes);
  }
  return most;
}

bool overlap(const Lifetimes& lifetimes, const Packing& packing) {
  for (size_t i = 0; i < lifetimes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Stay &a = lifetimes[i], &b = lifetimes[j];
      const bool at_once = a.first <= b.last && b.first <= a.last;
      const bool shared = packing.offsets[i] < packing.offsets[j] + b.bytes &&
                          packing.offsets[j] < packing.offsets[i] + a.bytes;
      if (at_once && shared && a.bytes > 0 && b.bytes > 0) return true;
    }
  }
  return false;
}

Lifetimes random_lifetimes(std::mt19937& random) {
  Lifetimes lifetimes;
  const int32_t count = std::uniform_int_distribution<int32_t>(0, 60)(random);
  for (int32_t step = 0; step < count; ++step) {
    const int32_t length = std::geometric_distribution<int32_t>(0.3)(random);
    const int64_t bytes = std::uniform_int_distribution<int64_t>(0, 5)(random) * 100;
    lifetimes.push_back({bytes, step / 2, step / 2 + length});
  }
  return lifetimes;
}

}  // namespace

TEST_CASE("values that live at once do not overlap") {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const Lifetimes lifetimes = random_lifetimes(random);
    const Packing packing = pack(lifetimes);
    CHECK_FALSE(overlap(lifetimes, packing));
    for (size_t i = 0; i < lifetimes.size(); ++i) {
      CHECK(packing.offsets[i] % 64 == 0);
      CHECK(packing.offsets[i] + lifetimes[i].bytes <= packing.bytes);
    }
    CHECK(packing.bytes >= most_at_once(lifetimes));
  }
}

TEST_CASE("a chain of equal values takes two of them") {
  Lifetimes chain;
  for (int32_t step = 0; step < 100; ++step) chain.push_back({1024, step, step + 1});
  CHECK(pack(chain).bytes == 2048);
}

TEST_CASE("values that grow as forward passes do take what lives at once") {
  // Activations are kept until the way back, largest first there.
  Lifetimes training;
  for (int32_t layer = 0; layer < 20; ++layer) training.push_back({640, layer, 40 - layer});
  for (int32_t layer = 0; layer < 20; ++layer) training.push_back({640, 20 + layer, 21 + layer});
  CHECK(pack(training).bytes == most_at_once(training));
}

TEST_CASE("what is worked in fits below what lives longer") {
  // Of a network with residuals: one large value, then steps that work in what is less large.
  const Lifetimes residual{{3136 * 64, 0, 1}, {784 * 64, 1, 3},  {784 * 64, 2, 3},
                           {784 * 64, 3, 5},  {784 * 64, 4, 5},  {784 * 64, 5, 6},
                           {620 * 64, 0, 0},  {2419 * 64, 2, 2}, {2419 * 64, 3, 3},
                           {2419 * 64, 4, 4}, {2419 * 64, 5, 5}};
  CHECK(pack(residual).bytes == most_at_once(residual));
}

TEST_CASE("random lifetimes take little more than what lives at once") {
  double taken = 0, least = 0;
  for (uint32_t seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const Lifetimes lifetimes = random_lifetimes(random);
    taken += static_cast<double>(pack(lifetimes).bytes);
    least += static_cast<double>(most_at_once(lifetimes));
  }
  CHECK(taken <= 1.05 * least);
}

TEST_CASE("what has no elements takes nothing") {
  const Packing packing = pack(Lifetimes{{0, 0, 3}, {0, 1, 2}});
  CHECK(packing.bytes == 0);
  CHECK(pack({}).bytes == 0);
}

}  // namespace mithril
