#include "backends/cpu/gemm/scaled_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace mithril::cpu_backend {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
// The least integer of a column that is not 0 has at most this absolute value. In 8 bits, nearly
// every column has such a one.
constexpr int most_least_integer = 4;

struct FloatMatrix {
  std::span<const float> elements;
  int64_t columns, rows;
  bool transposed;

  size_t column_of(size_t element) const {
    const auto at = static_cast<int64_t>(element);
    return static_cast<size_t>(transposed ? at / rows : at % columns);
  }
  float at(int64_t row, int64_t column) const {
    return elements[static_cast<size_t>(transposed ? column * rows + row : row * columns + column)];
  }
};

// Whether an eighth of the first elements of a column are equal to others, as in weights of 8 bits.
// Few other weights are, so that most are not read as a whole.
bool repeats_elements(const FloatMatrix& matrix) {
  std::vector<float> some;
  for (int64_t row = 0; row < std::min<int64_t>(matrix.rows, 1024); ++row)
    some.push_back(matrix.at(row, 0));
  std::sort(some.begin(), some.end());
  const auto distinct = std::unique(some.begin(), some.end()) - some.begin();
  return distinct <= std::ssize(some) / 8 * 7;
}

// The least absolute value of each column that is not 0; infinity where all are 0.
std::vector<float> least_of_columns(const FloatMatrix& matrix) {
  std::vector<float> least(static_cast<size_t>(matrix.columns), infinity);
  for (size_t i = 0; i < matrix.elements.size(); ++i) {
    float& found = least[matrix.column_of(i)];
    const float x = std::abs(matrix.elements[i]);
    if (x > 0 && x < found) found = x;
  }
  return least;
}

float integer_of(float x, float scale) { return std::nearbyint(x / scale); }

// Whether the number is the product of the scale and an integer that int16 holds.
bool is_multiple(float x, float scale) {
  const float number = integer_of(x, scale);
  return std::abs(number) <= float{INT16_MAX} && number * scale == x;
}

// None if an element is not such a product.
std::optional<ScaledIntegers> with_scales(const FloatMatrix& matrix, std::vector<float> scales) {
  ScaledIntegers found{std::move(scales)};
  for (size_t i = 0; i < matrix.elements.size(); ++i) {
    const float x = matrix.elements[i], scale = found.scales[matrix.column_of(i)];
    if (!is_multiple(x, scale)) return std::nullopt;
    const float number = integer_of(x, scale);
    found.least = std::min(found.least, number);
    found.largest = std::max(found.largest, number);
  }
  return found;
}

// The scales of the columns, of which `least` are small multiples.
std::vector<float> scales_of_columns(const FloatMatrix& matrix, const std::vector<float>& least) {
  std::vector<float> scales = least;
  for (int divisor = 2; divisor <= most_least_integer; ++divisor) {
    std::vector<bool> fits(scales.size(), true);
    for (size_t i = 0; i < matrix.elements.size(); ++i) {
      const size_t column = matrix.column_of(i);
      if (fits[column] && !is_multiple(matrix.elements[i], scales[column])) fits[column] = false;
    }
    for (size_t column = 0; column < scales.size(); ++column) {
      if (!fits[column]) scales[column] = least[column] / static_cast<float>(divisor);
    }
  }
  return scales;
}

FloatMatrix matrix_of(const Tensor& tensor, int64_t columns, bool transposed) {
  return {tensor.values<float>(), columns, tensor.size() / columns, transposed};
}

}  // namespace

std::optional<ScaledIntegers> scaled_integers(const Tensor& tensor, int64_t columns,
                                              bool transposed) {
  if (tensor.foreign() || tensor.size() == 0) return std::nullopt;
  const FloatMatrix matrix = matrix_of(tensor, columns, transposed);
  const auto equal = [&](float scale) {
    return std::vector<float>(static_cast<size_t>(columns), scale);
  };
  if (auto integers = with_scales(matrix, equal(1))) return integers;
  if (!repeats_elements(matrix)) return std::nullopt;
  std::vector<float> least = least_of_columns(matrix);
  // Not all elements are 0, which is an integer.
  if (auto shared = with_scales(matrix, equal(*std::min_element(least.begin(), least.end()))))
    return shared;
  std::replace(least.begin(), least.end(), infinity, 1.0F);
  return with_scales(matrix, scales_of_columns(matrix, least));
}

Tensor integers_of(const Tensor& tensor, const ScaledIntegers& of, bool transposed) {
  const FloatMatrix matrix = matrix_of(tensor, std::ssize(of.scales), transposed);
  Tensor integers = Tensor::empty(DType::int16, tensor.dims());
  auto* const to = integers.mutable_data<int16_t>();
  for (size_t i = 0; i < matrix.elements.size(); ++i) {
    to[i] = static_cast<int16_t>(integer_of(matrix.elements[i], of.scales[matrix.column_of(i)]));
  }
  return integers;
}

}  // namespace mithril::cpu_backend
