#include "mithril/check/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mithril::check {
namespace {

std::string position(std::int64_t index, const Dims& dims) {
  Dims at(dims.size());
  for (std::size_t i = dims.size(); i-- > 0; index /= dims[i]) at[i] = index % dims[i];
  return to_string(at);
}

// The difference of two elements, relative to a large expected element.
double distance(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double apart = std::abs(got - expected) / std::max(1.0, std::abs(expected));
  return std::isfinite(apart) ? apart : HUGE_VAL;
}

std::string form_difference(const Tensor& got, const Tensor& expected) {
  if (got.dtype() != expected.dtype()) {
    return fmt::format("dtype is {}, expected {}", name(got.dtype()), name(expected.dtype()));
  }
  if (got.dims() != expected.dims()) {
    return fmt::format("dims are {}, expected {}", to_string(got.dims()),
                       to_string(expected.dims()));
  }
  return {};
}

}  // namespace

std::string difference(const Tensor& got, const Tensor& expected, double tolerance) {
  if (std::string form = form_difference(got, expected); !form.empty()) return form;
  double worst = tolerance;
  std::int64_t at = -1;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double apart = distance(got.at_as_double(i), expected.at_as_double(i));
    if (apart <= worst) continue;
    worst = apart;
    at = i;
  }
  if (at < 0) return {};
  return fmt::format("element {} is {}, expected {}: off by {:.3g}, allowed {:.3g}",
                     position(at, got.dims()), got.at_as_double(at), expected.at_as_double(at),
                     worst, tolerance);
}

std::string difference(const Tensor& got, const Tensor& expected) {
  if (identical(got, expected)) return {};
  const std::string apart = difference(got, expected, 0);
  return apart.empty() ? "the bits of a zero or a NaN differ" : apart;
}

std::string difference(const Datum& got, const Datum& expected) {
  if (got.kind() == expected.kind() && same(got, expected)) return {};
  return fmt::format("value is {} ({}), expected {} ({})", to_string(got),
                     to_string_kinds(got.kind()), to_string(expected),
                     to_string_kinds(expected.kind()));
}

}  // namespace mithril::check
