#include "mithril/comparison/value_mismatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mithril {
namespace {

double element_difference(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const double difference = std::abs(got - expected);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

Dims index_of_element(const Dims& dims, std::int64_t element) {
  Dims at(dims.size());
  for (size_t i = dims.size(); i-- > 0; element /= dims[i]) at[i] = element % dims[i];
  return at;
}

}  // namespace

std::optional<ValueMismatch> value_mismatch(const Tensor& got, const Tensor& expected,
                                            double allowed) {
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims())
    return ValueMismatch{.difference = std::numeric_limits<double>::infinity()};
  ValueMismatch worst;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at_as_double(i), b = expected.at_as_double(i);
    const double difference = element_difference(a, b);
    if (difference <= worst.difference) continue;
    worst = {index_of_element(got.dims(), i), b, a, difference};
  }
  return worst.difference > allowed ? std::optional(worst) : std::nullopt;
}

double largest_element(const Tensor& tensor) {
  double largest = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double element = std::abs(tensor.at_as_double(i));
    if (std::isfinite(element)) largest = std::max(largest, element);
  }
  return largest;
}

double default_tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-9;
    case DType::float32:
      return 1e-4;
    case DType::float16:
      return 4e-3;
    case DType::bfloat16:
      return 3e-2;
    default:
      break;
  }
  return 0;
}

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 0x1p-52;
    case DType::float32:
      return 0x1p-23;
    case DType::float16:
      return 0x1p-10;
    case DType::bfloat16:
      return 0x1p-7;
    default:
      break;
  }
  return 0;
}

}  // namespace mithril
