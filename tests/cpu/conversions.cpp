// Kernels that convert integers and truth values give the numbers of the conversions of C++, for
// each instruction set and every count around a vector.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/integer_kernels.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

constexpr int64_t most = 40;

// Values at the limits of the integer, then values around 0.
template <typename Integer>
std::vector<Integer> integers() {
  using Limits = std::numeric_limits<Integer>;
  std::vector<Integer> made{Limits::min(), Limits::max()};
  for (int64_t i = 2; i < most; ++i) made.push_back(static_cast<Integer>(i - 10));
  return made;
}

template <typename Integer>
void check_widened() {
  const std::vector<Integer> from = integers<Integer>();
  for (const Instructions instructions : present_instructions()) {
    for (int64_t count = 0; count <= most; ++count) {
      std::vector<float> floats(most, -7);
      std::vector<double> doubles(most, -7);
      integer_kernels<Integer>(instructions).widen(from.data(), count, floats.data());
      integer_kernels<Integer>(instructions).widen_to_double(from.data(), count, doubles.data());
      for (size_t i = 0; i < size_t{most}; ++i) {
        const bool is_written = i < static_cast<size_t>(count);
        REQUIRE(floats[i] == (is_written ? static_cast<float>(from[i]) : -7));
        REQUIRE(doubles[i] == (is_written ? static_cast<double>(from[i]) : -7));
      }
    }
  }
}

template <typename T>
void check_truths() {
  using Limits = std::numeric_limits<T>;
  const std::array<T, 8> some{0,  -T{0},   Limits::quiet_NaN(), Limits::denorm_min(), T(0.5),
                              -3, T(1e30), -Limits::infinity()};
  std::vector<T> from;
  for (size_t i = 0; i < size_t{most}; ++i) from.push_back(some[i % some.size()]);
  for (const Instructions instructions : present_instructions()) {
    for (int64_t count = 0; count <= most; ++count) {
      std::array<bool, most> made{};
      truth_kernels<T>(instructions).store(from.data(), count, made.data());
      for (size_t i = 0; i < made.size(); ++i)
        REQUIRE(made[i] == (i < static_cast<size_t>(count) && from[i] != 0));
    }
  }
}

}  // namespace

TEST_CASE("integers are widened as C++ converts them") {
  check_widened<int8_t>();
  check_widened<uint8_t>();
  check_widened<int16_t>();
  check_widened<uint16_t>();
  check_widened<int32_t>();
}

TEST_CASE("numbers are true unless they are 0") {
  check_truths<float>();
  check_truths<double>();
}

}  // namespace mithril::tests
