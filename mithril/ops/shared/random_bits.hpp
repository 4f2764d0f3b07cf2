// Counter-based random numbers: element i of key k is a function of k and i alone.
#pragma once
#include <cmath>
#include <cstdint>

namespace mithril {

// SplitMix64 (Steele, Lea, Flood 2014) as a counter-based generator.
class RandomBits {
 public:
  explicit RandomBits(int64_t key) : key_(mix(static_cast<uint64_t>(key))) {}

  uint64_t at(int64_t index) const { return mix(key_ ^ mix(static_cast<uint64_t>(index))); }

  // A number in [0, 1), a multiple of 2^-53.
  double uniform(int64_t index) const { return static_cast<double>(at(index) >> 11) * 0x1p-53; }

  // Mean 0, deviation 1 (Box and Muller), from two counters.
  double normal(int64_t index) const {
    constexpr double pi = 3.141592653589793;
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(2 * index)));
    return radius * std::cos(2.0 * pi * uniform(2 * index + 1));
  }

 private:
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t key_;
};

}  // namespace mithril
