// The functions of float32 in generated C++: as exact as their comments say, for all kinds of
// arguments.
#include "codegen/cpp/kernels/float_functions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mithril::tests {
namespace {

using Limits = std::numeric_limits<float>;

// The error in units of the last place of the float32 nearest to `exact`.
double distance(float got, double exact) {
  const auto nearest = static_cast<float>(exact);
  if (std::isnan(nearest) || std::isinf(nearest) || std::isinf(got)) {
    const bool same = std::isnan(nearest) ? std::isnan(got) : got == nearest;
    return same ? 0 : Limits::infinity();
  }
  const int exponent = exact == 0 ? -126 : std::max(-126, std::ilogb(exact));
  return std::abs(got - exact) / std::ldexp(1.0, exponent - 23);
}

// The largest error over every 1,009th bit pattern.
template <typename Function, typename Exact>
double largest_distance(Function function, Exact exact) {
  double largest = 0;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1009) {
    const float x = snippets::float_of_bits(static_cast<uint32_t>(bits));
    largest = std::max(largest, distance(function(x), exact(static_cast<double>(x))));
  }
  return largest;
}

}  // namespace

TEST_CASE("exp, tanh and erf of float32 are as exact as generated C++ says") {
  const auto exp = [](double x) { return std::exp(x); };
  const auto tanh = [](double x) { return std::tanh(x); };
  const auto erf = [](double x) { return std::erf(x); };
  CHECK(largest_distance(snippets::float_exp, exp) <= 1.0);
  CHECK(largest_distance(snippets::float_tanh, tanh) <= 1.4);
  CHECK(largest_distance(snippets::float_erf, erf) <= 1.2);
}

TEST_CASE("exp, tanh and erf of float32 take infinities, NaN and the ends of their ranges") {
  constexpr float infinity = Limits::infinity(), nan = Limits::quiet_NaN();
  CHECK(snippets::float_exp(infinity) == infinity);
  CHECK(snippets::float_exp(-infinity) == 0);
  CHECK(snippets::float_exp(88.72283f) < infinity);
  CHECK(snippets::float_exp(88.72284f) == infinity);
  CHECK(snippets::float_exp(-103.9f) == Limits::denorm_min());
  CHECK(snippets::float_tanh(infinity) == 1);
  CHECK(snippets::float_tanh(-infinity) == -1);
  CHECK(std::signbit(snippets::float_tanh(-0.0f)));
  CHECK(snippets::float_erf(infinity) == 1);
  CHECK(snippets::float_erf(-infinity) == -1);
  for (const auto function : {snippets::float_exp, snippets::float_tanh, snippets::float_erf})
    CHECK(std::isnan(function(nan)));
}

}  // namespace mithril::tests
