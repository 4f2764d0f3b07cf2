// The functions that rows are written with.
#include "mithril/check/op_case.hpp"

#include <utility>

namespace mithril::check {

PortContent::PortContent(TensorSpec spec) : items{std::move(spec)} {}
PortContent::PortContent(Item item) : items{std::move(item)} {}
PortContent::PortContent(std::vector<Item> items) : items(std::move(items)), list(true) {}

TensorSpec TensorSpec::as(DType other) const {
  TensorSpec result = *this;
  result.dtype = other;
  return result;
}

TensorSpec TensorSpec::away_from(std::vector<double> points, double distance) const {
  TensorSpec result = *this;
  result.avoid = std::move(points);
  result.gap = distance;
  return result;
}

TensorSpec normal(Dims dims) { return {.dims = std::move(dims), .fill = TensorSpec::Fill::normal}; }

TensorSpec uniform(Dims dims, double low, double high) {
  return {.dims = std::move(dims), .fill = TensorSpec::Fill::uniform, .low = low, .high = high};
}

TensorSpec positive(Dims dims) { return uniform(std::move(dims), 0.5, 2); }

TensorSpec distinct(Dims dims) {
  return {.dims = std::move(dims), .fill = TensorSpec::Fill::distinct};
}

TensorSpec integers(Dims dims, std::int64_t low, std::int64_t high) {
  return {.dims = std::move(dims),
          .fill = TensorSpec::Fill::integers,
          .dtype = DType::int64,
          .low = static_cast<double>(low),
          .high = static_cast<double>(high)};
}

TensorSpec booleans(Dims dims) {
  return {.dims = std::move(dims), .fill = TensorSpec::Fill::booleans, .dtype = DType::boolean};
}

TensorSpec tensor(Dims dims, std::vector<double> values) {
  return {.dims = std::move(dims), .fill = TensorSpec::Fill::values, .values = std::move(values)};
}

PortContent list(std::vector<Item> items) { return PortContent(std::move(items)); }

Datum ints(const std::vector<std::int64_t>& numbers) { return Datum::ints(numbers); }

}  // namespace mithril::check
