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

// Whether all kernels narrow the first elements of `from`, or none does.
bool is_narrowed(const std::vector<float>& from, int64_t count, float scale, float limit) {
  std::vector<bool> found;
  for (const Instructions instructions : present_instructions()) {
    std::vector<int16_t> made(most, -7);
    found.push_back(
        scaled_integer_kernels(instructions).narrow(from.data(), count, scale, limit, made.data()));
    for (size_t i = 0; i < size_t{most} && found.back(); ++i) {
      const bool is_written = i < static_cast<size_t>(count);
      REQUIRE(made[i] == (is_written ? std::lround(from[i] / scale) : -7));
    }
    REQUIRE(found.back() == found.front());
  }
  return found.front();
}

}  // namespace

TEST_CASE("integers times a scale are narrowed, and other numbers are refused") {
  constexpr float scale = 0.037F;
  std::vector<float> from;
  for (int i = 0; i < int{most}; ++i) from.push_back(static_cast<float>(i * 37 - 700) * scale);
  for (int64_t count = 0; count <= most; ++count) {
    CHECK(is_narrowed(from, count, scale, 32767));
    for (const float other :
         {0.0371F, 1e9F, 1e-40F, std::numeric_limits<float>::quiet_NaN(), 744.0F * scale}) {
      for (int64_t at : {int64_t{0}, count - 1}) {
        if (count == 0) continue;
        std::vector<float> changed = from;
        changed[static_cast<size_t>(at)] = other;
        CHECK_FALSE(is_narrowed(changed, count, scale, 743));
      }
    }
  }
}

TEST_CASE("the extent of floats ignores NaN, and their least magnitude zeros") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> from(most, 0);
  from[3] = std::numeric_limits<float>::quiet_NaN();
  from[5] = -0.25F;
  from[17] = 0.125F;
  from[39] = 1e-40F;
  for (const Instructions instructions : present_instructions()) {
    for (int64_t count = 0; count <= most; ++count) {
      const Extent extent = scaled_integer_kernels(instructions).extent(from.data(), count);
      CAPTURE(count);
      REQUIRE(extent.magnitude == (count < 6    ? infinity
                                   : count < 18 ? 0.25F
                                   : count < 40 ? 0.125F
                                                : 1e-40F));
      REQUIRE(extent.least == (count < 1 ? infinity : count < 6 ? 0 : -0.25F));
      REQUIRE(extent.largest == (count < 1 ? -infinity : count < 18 ? 0 : 0.125F));
    }
  }
}

TEST_CASE("integers times a scale are narrowed to bytes, and other numbers are refused") {
  constexpr float scale = 0.037F;
  constexpr int32_t zero = -30000;
  std::vector<float> from;
  for (int i = 0; i < int{most}; ++i) from.push_back(static_cast<float>(i * 701 + zero) * scale);
  for (const Instructions instructions : present_instructions()) {
    const auto narrow = scaled_integer_kernels(instructions).narrow_to_bytes;
    for (int64_t count = 0; count <= most; ++count) {
      for (const int shift : {0, 8}) {
        std::array<uint8_t, most> made{};
        REQUIRE(narrow(from.data(), count, scale, zero, shift, made.data()));
        for (int i = 0; i < int{most}; ++i)
          REQUIRE(made[static_cast<size_t>(i)] == (i < count ? i * 701 >> shift & 255 : 0));
      }
      for (const float other : {0.0371F, std::numeric_limits<float>::quiet_NaN()}) {
        for (const int64_t at : {int64_t{0}, count - 1}) {
          if (count == 0) continue;
          std::vector<float> changed = from;
          changed[static_cast<size_t>(at)] = other;
          std::array<uint8_t, most> made{};
          REQUIRE_FALSE(narrow(changed.data(), count, scale, zero, 0, made.data()));
        }
      }
    }
  }
}

TEST_CASE("products of integers wrap") {
  std::vector<int32_t> from;
  for (int32_t i = 0; i < int32_t{most}; ++i) from.push_back((i - 20) * 100000000);
  for (const Instructions instructions : present_instructions()) {
    for (int64_t count = 0; count <= most; ++count) {
      std::vector<int32_t> made = from;
      scaled_integer_kernels(instructions).multiply(made.data(), -77, count, made.data());
      for (size_t i = 0; i < made.size(); ++i) {
        const bool is_written = i < static_cast<size_t>(count);
        REQUIRE(made[i] == (is_written ? static_cast<int32_t>(int64_t{from[i]} * -77) : from[i]));
      }
    }
  }
}

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
