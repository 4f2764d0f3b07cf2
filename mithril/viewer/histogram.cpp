#include "mithril/viewer/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mithril {
namespace {

constexpr std::int64_t most_counted = 1 << 20;

}  // namespace

Histogram histogram_of(const Tensor& given) {
  const Tensor tensor = given.host();
  Histogram result{.elements = tensor.size()};
  const std::int64_t step =
      std::max<std::int64_t>(1, (tensor.size() + most_counted - 1) / most_counted);
  std::vector<double> elements;
  for (std::int64_t i = 0; i < tensor.size(); i += step) {
    const double element = tensor.at_as_double(i);
    ++result.counted;
    if (std::isfinite(element)) elements.push_back(element);
  }
  result.not_finite = result.counted - static_cast<std::int64_t>(elements.size());
  if (elements.empty()) return result;
  const auto [low, high] = std::minmax_element(elements.begin(), elements.end());
  result.low = *low;
  result.high = *high;
  const auto count = static_cast<double>(elements.size());
  for (const double element : elements) result.mean += element / count;
  // In units of the largest element, whose square may be infinite.
  const double unit = std::max(std::abs(result.low), std::abs(result.high));
  if (unit > 0) {
    double variance = 0;
    for (const double element : elements) {
      const double difference = element / unit - result.mean / unit;
      variance += difference * difference / count;
    }
    result.deviation = unit * std::sqrt(variance);
  }
  const auto bins = static_cast<double>(result.bins.size());
  // Halves, because the difference of two finite numbers may be infinite.
  const double width = result.high / 2 - result.low / 2;
  for (const double element : elements) {
    const double place = width > 0 ? (element / 2 - result.low / 2) / width * bins : 0;
    ++result.bins[static_cast<std::size_t>(std::min(place, bins - 1))];
  }
  return result;
}

}  // namespace mithril
