// Random numbers that are the same on every platform for the same seed.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace mithril {

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). Each
// stream of a seed is an independent sequence: if the stream is named after a parameter, its
// numbers do not depend on other parameters.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::string_view stream = {}) : state_(seed) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char byte : stream) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    state_ = next() ^ hash;
  }

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  // A number in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // Mean 0, deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

// The first key of a stream of counter-based random numbers (RandomBits); each evaluation adds 1.
// It is a hash of seed and stream, so that different streams do not overlap in practice. It has 62
// bits, so that counting never overflows.
inline std::int64_t first_random_key(std::int64_t seed, std::string_view stream) {
  return static_cast<std::int64_t>(Random(static_cast<std::uint64_t>(seed), stream).next() >> 2);
}

}  // namespace mithril
