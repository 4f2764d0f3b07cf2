#include "mithril/compile/finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mithril {
namespace {

template <typename T>
bool are_finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
}

}  // namespace

std::string finite_text(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

bool all_finite(const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) return true;
  const Tensor here = tensor.host();
  if (here.dtype() == DType::float64) return are_finite(here.values<double>());
  const Tensor wide = here.to(DType::float32);
  return are_finite(wide.values<float>());
}

bool all_finite(const TensorMap& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const auto& item) { return all_finite(item.tensor()); });
}

}  // namespace mithril
